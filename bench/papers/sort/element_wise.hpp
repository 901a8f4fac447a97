// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include <armilla/armilla.hpp>

#include "bench/papers/sort/sampling.hpp"

namespace sorting {

namespace am = armilla;

// parallel
/// Where the keys of one part gather.
struct bucket {
  explicit bucket(std::size_t expected) { keys.reserve(expected); }
  void push_back(key k) { keys.push_back(k); }
  std::vector<key> keys;
};

/// The listing of the paper: a one-way call for each key tells its bucket to take it; the library sends them by the buffer.
/// Paper: STAPL, section 4, `p_sort`.
inline std::vector<key> sort_element_wise(std::span<const key> input) {
  const std::vector<key> splitters = splitters_of(am::all_gather(sample_of(input)), std::size_t(am::ranks()));
  am::distributed<bucket> buckets(input.size() + input.size() / 16);

  for (const key k : input) am::async<&bucket::push_back>(buckets.on(am::rank_t(part_of(k, splitters))), k);
  am::fence();

  std::sort(buckets->keys.begin(), buckets->keys.end());
  return std::move(buckets->keys);
}
// end of parallel

}  // namespace sorting
