// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include <armilla/armilla.hpp>

#include "bench/papers/sort/sampling.hpp"

namespace sorting {

namespace am = armilla;

// parallel
/// The keys of each part are brought together first, then exchanged at once.
inline std::vector<key> sort_bulk(std::span<const key> input) {
  const partition out = partition_of(input, splitters_of(am::all_gather(sample_of(input)), std::size_t(am::ranks())));

  std::vector<std::size_t> came(out.counts.size());
  std::vector<key> mine = am::world().all_to_all_v(std::span<const key>(out.keys), out.counts, std::span(came));

  std::sort(mine.begin(), mine.end());
  return mine;
}
// end of parallel

}  // namespace sorting
