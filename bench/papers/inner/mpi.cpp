// SPDX-License-Identifier: Apache-2.0
// The inner product by hand: each rank multiplies its part, MPI_Allreduce adds the parts.
#include "bench/papers/common/measure.hpp"
#include "bench/papers/common/mpi_job.hpp"
#include "bench/papers/inner/numbers.hpp"

namespace papers {
namespace {

// parallel
double square(const std::vector<double>& part) {
  double sum = inner::dot(part, part);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}
// end of parallel

void run_all(const command_line& line, const inner::options& how) {
  runner<mpi_job> run(line);
  for (const std::size_t n : how.elements) {
    const std::vector<double> part = inner::part_of(n, run.job().rank(), run.job().ranks());
    const double expected = inner::expected(n);
    double value = -1;
    run.measure(inner::options::describe("allreduce", n, expected, "bench/papers/inner/mpi.cpp"),
                work{.prepare = [&] { value = -1; },
                     .body = [&] { value = square(part); },
                     .right = [&] { return value == expected; },
                     .value = [](double seconds) { return seconds * 1e3; }});
  }
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line("inner", "The inner product of a vector with itself for MPI.", {"allreduce"});
  inner::options how;
  how.add_to(line);
  if (const auto code = line.read(argc, argv)) return *code;
  return papers::run_mpi("inner", [&line, &how] { papers::run_all(line, how); });
}
