// SPDX-License-Identifier: Apache-2.0
// Water by hand in MPI.
#include <stdexcept>
#include <string>

#include "bench/papers/common/measure.hpp"
#include "bench/papers/common/mpi_job.hpp"
#include "bench/papers/water/mpi_step.hpp"
#include "bench/papers/water/options.hpp"

namespace {

using namespace water;

/// Rank 0 compares.
bool right(worker& mine, const energies& expected) {
  const molecules& m = mine.mine();
  std::vector<int> counts, places_of;
  for (int r = 0; r < mine.workers(); ++r) {
    counts.push_back(mine.of(r).count() * int(std::tuple_size_v<triple>));
    places_of.push_back(mine.of(r).first * int(std::tuple_size_v<triple>));
  }
  std::vector<triple> all(std::size_t(mine.space().molecules));
  MPI_Gatherv(m.places().data(), counts[std::size_t(papers::mpi_job{}.rank())], MPI_DOUBLE, all.data(), counts.data(),
              places_of.data(), MPI_DOUBLE, 0, MPI_COMM_WORLD);
  const energies own = m.own_energies();
  const double part[2] = {own.kinetic, own.intra};
  double sum[2];
  MPI_Reduce(part, sum, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return papers::mpi_job{}.rank() != 0 || agree(energies_of(mine.space(), all, {sum[0], sum[1], 0, 0}), expected);
}

void run_all(const papers::command_line& line, const water_options& how) {
  papers::runner<papers::mpi_job> run(line);
  for (const int n : how.molecules) {
    if (run.job().ranks() > n / 2)
      throw std::invalid_argument("--molecules " + std::to_string(n) + ": at least two for each rank");
    const box space(n, how.cutoff);
    const energies expected = expected_energies(space, how.cutoff, how.steps);
    worker mine(space, run.job().ranks(), run.job().rank());
    mpi_water version(mine);
    run.measure(how.describe("mpi", space, expected, "bench/papers/water/mpi_step.hpp"),
                papers::work{.prepare = [&] { mine.reset(); },
                             .body =
                                 [&] {
                                   for (int s = 0; s < how.steps; ++s) version.step();
                                 },
                             .right = [&] { return right(mine, expected); },
                             .value = [&](double seconds) { return how.microseconds_a_step(seconds); }});
  }
}

}  // namespace

int main(int argc, char** argv) {
  papers::command_line line("water", "Water, molecules that all act on each other, by hand in MPI.", {"mpi"});
  water_options how;
  how.add_to(line);
  if (const auto code = line.read(argc, argv)) return *code;
  if (const int code = how.check(line, 1); code != 0) return code;
  return papers::run_mpi("water", [&] { run_all(line, how); });
}
