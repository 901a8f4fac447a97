// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include <armilla/dialect/stapl.hpp>
#include <armilla/dialect/stapl_algorithms.hpp>

#include "bench/papers/sort/sampling.hpp"

/// The sample sort in STAPL's words: the listing of the paper, with as many samples as the other versions take. Paper: STAPL,
/// section 4.
namespace sorting::in_stapl {

// parallel
struct p_sort : stapl::parallel_task {
  explicit p_sort(std::span<const key> keys) : input(keys) {}

  void execute() override {
    const int p = stapl::get_num_nodes(), id = stapl::get_node_id();
    std::vector<std::vector<key>> samples;
    stapl::collect_rmi(this, &p_sort::collect, sample_of(input), samples);
    const std::vector<key> splitters = splitters_of(samples, std::size_t(p));
    stapl::pvector<std::vector<key>> buckets{std::size_t(p)};

    for (const key k : input)
      stapl::async_rmi(int(part_of(k, splitters)), &buckets, &stapl::pvector<std::vector<key>>::push_back, k);
    stapl::rmi_fence();

    std::sort(buckets[std::size_t(id)].begin(), buckets[std::size_t(id)].end());
    result = std::move(buckets.local_element(std::size_t(id), "p_sort"));
  }
  void collect(const std::vector<key>& mine, std::vector<std::vector<key>>& all) { all.push_back(mine); }

  std::span<const key> input;
  std::vector<key> result;
};

inline std::vector<key> sample_sort(std::span<const key> input) {
  p_sort task(input);
  stapl::execute_parallel_task(&task);
  return std::move(task.result);
}
// end of parallel

}  // namespace sorting::in_stapl
