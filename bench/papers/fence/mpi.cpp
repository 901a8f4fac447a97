// SPDX-License-Identifier: Apache-2.0
// MPI's barrier.
#include "bench/papers/common/measure.hpp"
#include "bench/papers/common/mpi_job.hpp"
#include "bench/papers/fence/options.hpp"

namespace papers {
namespace {

/// Whether a barrier has waited for all: no rank leaves before the last has come.
bool barrier_waits(const mpi_job& job) {
  const double start = seconds_now();
  while (job.rank() == 0 && seconds_now() - start < 5e-3) {}
  const double came = seconds_now();
  MPI_Barrier(MPI_COMM_WORLD);
  const double left = seconds_now();
  return -job.greatest(-left) >= job.greatest(came) - 1e-3;
}

void run_all(const command_line& line, const fences::options& how) {
  runner<mpi_job> run(line);
  const long times = how.times_of(run.job().ranks());
  run.measure(fences::describe("barrier", ""), work{.prepare = [] {},
                                                    .body =
                                                        [&] {
                                                          for (long i = 0; i < times; ++i) MPI_Barrier(MPI_COMM_WORLD);
                                                        },
                                                    .right = [&] { return barrier_waits(run.job()); },
                                                    .value = [&](double seconds) { return seconds * 1e9 / double(times); }});
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line("fence", "The barrier of MPI.", {"barrier"});
  fences::options how;
  how.add_to(line);
  if (const auto code = line.read(argc, argv)) return *code;
  return papers::run_mpi("fence", [&line, &how] { papers::run_all(line, how); });
}
