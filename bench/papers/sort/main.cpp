// SPDX-License-Identifier: Apache-2.0
// Sorting: the sample sort of the STAPL paper (figures 6, 7), in Split-C's words and in CC++'s, key by key and in bulk, the best
// that the library does, and sorts made of threads. Every result must be sorted and hold the keys of the input.
#include <functional>
#include <optional>

#include "bench/papers/common/armilla_job.hpp"
#include "bench/papers/common/first_alone.hpp"
#include "bench/papers/common/measure.hpp"
#include "bench/papers/sort/baselines.hpp"
#include "bench/papers/sort/best.hpp"
#include "bench/papers/sort/bulk.hpp"
#include "bench/papers/sort/element_wise.hpp"
#include "bench/papers/sort/in_ccpp.hpp"
#include "bench/papers/sort/in_splitc.hpp"
#include "bench/papers/sort/in_stapl.hpp"
#include "bench/papers/sort/options.hpp"

namespace papers {
namespace {

using namespace sorting;

constexpr double ms(double seconds) { return seconds * 1e3; }

/// A sort of Armilla: takes this rank's part of the input, returns its part of the result.
template <auto Sort>
void measure(runner<armilla_job>& run, const char* version, const char* source, std::size_t n) {
  if (!run.wants(version)) return;
  const std::vector<key> input = part_of_input(n, std::size_t(am::rank()), std::size_t(am::ranks()));
  const std::uint64_t marks = am::all_reduce(marks_of(input), std::plus<>{});
  std::optional<decltype(Sort(input))> part;
  run.measure(sort_options::describe(version, n, marks, source),
              work{.prepare = [&] { part.reset(); },
                   .body = [&] { part.emplace(Sort(input)); },
                   .right = [&] { return is_sorted_permutation(am::all_gather(summarise(*part)), marks, n); },
                   .value = ms});
}

/// A sort with threads, on rank 0.
template <auto Sort>
void measure_threads(const command_line& line, const char* by, const char* version, const char* source, std::size_t n) {
  if (!line.wants(version)) return;
  first_alone([&](const seats& threads) {
    runner<alone> run(line, alone{by, threads.count()});
    const std::vector<key> input = part_of_input(n, 0, 1);
    const std::uint64_t marks = marks_of(input);
    std::vector<key> keys;
    run.measure(sort_options::describe(version, n, marks, source), work{.prepare = [&] { keys = input; },
                                                                        .body = [&] { Sort(keys, threads); },
                                                                        .right =
                                                                            [&] {
                                                                              const part_summary whole = summarise(keys);
                                                                              return is_sorted_permutation({&whole, 1}, marks, n);
                                                                            },
                                                                        .value = ms});
  });
}

void run_all(const command_line& line, const sort_options& how) {
  keep_freed_memory();
  runner<armilla_job> run(line);
  for (const std::size_t n : how.keys) {
    measure<in_splitc::sample_sort>(run, "splitc", "bench/papers/sort/in_splitc.hpp", n);
    measure<in_ccpp::sample_sort>(run, "ccpp", "bench/papers/sort/in_ccpp.hpp", n);
    measure<sort_element_wise>(run, "element-wise", "bench/papers/sort/element_wise.hpp", n);
    measure<in_stapl::sample_sort>(run, "stapl", "bench/papers/sort/in_stapl.hpp", n);
    measure<sort_bulk>(run, "bulk", "bench/papers/sort/bulk.hpp", n);
    measure<sort_best>(run, "best", "bench/papers/sort/best.hpp", n);
    measure_threads<sort_by_threads>(line, "threads", "threads", "bench/papers/sort/threads.cpp", n);
#ifdef ARMILLA_PAPERS_OPENMP
    measure_threads<sort_by_gnu>(line, "gnu", "gnu", "bench/papers/sort/gnu.cpp", n);
#endif
#ifdef ARMILLA_PAPERS_TBB
    measure_threads<sort_by_tbb>(line, "tbb", "tbb", "bench/papers/sort/tbb.cpp", n);
#endif
  }
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  papers::command_line line(
      "sort",
      "Sorts 32-bit keys: sample sort in Split-C, in CC++, key by key and in bulk, a radix sort that writes other ranks' memory, "
      "and sorts with threads.",
      {"splitc", "ccpp", "stapl", "element-wise", "bulk", "best", "threads", "gnu", "tbb"});
  papers::sort_options how;
  how.add_to(line);
  if (const auto code = line.read(argc, argv)) return *code;
  if (const int code = how.check(line); code != 0) return code;
  return armilla::run(argc, argv, [&line, &how] { papers::run_all(line, how); });
}
