// SPDX-License-Identifier: Apache-2.0
// The inner product of a vector with itself: each rank multiplies its part, one collect adds the parts. Paper: STAPL,
// section 7.3, tables 2 and 3.
#include "bench/papers/common/armilla_job.hpp"
#include "bench/papers/common/first_alone.hpp"
#include "bench/papers/common/measure.hpp"
#include "bench/papers/inner/collect.hpp"
#include "bench/papers/inner/in_stapl.hpp"
#include "bench/papers/inner/openmp.hpp"

namespace papers {
namespace {

constexpr double ms(double seconds) { return seconds * 1e3; }

void measure_collect(runner<armilla_job>& run, std::size_t n) {
  if (!run.wants("collect")) return;
  const inner::am::distributed<inner::vector_part> vector(inner::part_of(n, armilla::rank(), armilla::ranks()));
  const double expected = inner::expected(n);
  double value = -1;
  run.measure(inner::options::describe("collect", n, expected, "bench/papers/inner/collect.hpp"),
              work{.prepare = [&] { value = -1; },
                   .body = [&] { value = inner::square(vector); },
                   .right = [&] { return value == expected; },
                   .value = ms});
}

void measure_stapl(runner<armilla_job>& run, std::size_t n) {
  if (!run.wants("collect_rmi")) return;
  inner::in_stapl::p_square task(inner::part_of(n, armilla::rank(), armilla::ranks()));
  const double expected = inner::expected(n);
  run.measure(inner::options::describe("collect_rmi", n, expected, "bench/papers/inner/in_stapl.hpp"),
              work{.prepare = [&] { task.result = -1; },
                   .body = [&] { stapl::execute_parallel_task(&task); },
                   .right = [&] { return task.result == expected; },
                   .value = ms});
}

#ifdef ARMILLA_PAPERS_OPENMP
void measure_openmp(const command_line& line, std::size_t n) {
  if (!line.wants("openmp")) return;
  first_alone([&](const seats& threads) {
    runner<alone> run(line, alone{"openmp", threads.count()});
    const inner::openmp_vector vector(n, threads);
    const double expected = inner::expected(n);
    double value = -1;
    run.measure(inner::options::describe("openmp", n, expected, "bench/papers/inner/openmp.cpp"),
                work{.prepare = [&] { value = -1; },
                     .body = [&] { value = vector.square(); },
                     .right = [&] { return value == expected; },
                     .value = ms});
  });
}
#endif

void run_all(const command_line& line, const inner::options& how) {
  runner<armilla_job> run(line);
  for (const std::size_t n : how.elements) {
    measure_collect(run, n);
    measure_stapl(run, n);
#ifdef ARMILLA_PAPERS_OPENMP
    measure_openmp(line, n);
#endif
  }
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line("inner", "The inner product of a vector with itself, by collect, in STAPL's words, and by OpenMP.",
                            {"collect", "collect_rmi", "openmp"});
  inner::options how;
  how.add_to(line);
  if (const auto code = line.read(argc, argv)) return *code;
  return armilla::run(argc, argv, [&line, &how] { papers::run_all(line, how); });
}
