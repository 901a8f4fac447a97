// SPDX-License-Identifier: Apache-2.0
#pragma once
// For tests of access: the same over memory of the segment and over private memory, each rank reaching into the next one's.
#include <cstddef>
#include <numeric>
#include <vector>

#include "tests/rank_test.hpp"

namespace rank_test {

inline armilla::per_rank<armilla::global_ptr<double>> arrays;

inline armilla::rank_t next() { return (armilla::rank() + 1) % armilla::ranks(); }

/// Shows `mine` to the rank before, and gives what the next one shows.
template <class T>
armilla::global_ptr<T> offer(armilla::per_rank<armilla::global_ptr<T>>& board, armilla::global_ptr<T> mine) {
  board.local() = mine;
  armilla::barrier();
  return *board.on(next());
}

/// Calls `f(p, mine)` twice, with the next rank's array of `n` elements and this rank's own; element i is 1000 times the rank,
/// plus i.
template <class F>
void in_both_memories(std::size_t n, F f) {
  const auto segment = armilla::allocate<double>(n);
  std::iota(segment.local(), segment.local() + n, armilla::rank() * 1000.0);
  f(offer(arrays, segment), segment.local());
  armilla::barrier();
  armilla::deallocate(segment);
  std::vector<double> heap(n);
  std::iota(heap.begin(), heap.end(), armilla::rank() * 1000.0);
  f(offer(arrays, armilla::to_global(heap.data())), heap.data());
  armilla::barrier();
}

}  // namespace rank_test
