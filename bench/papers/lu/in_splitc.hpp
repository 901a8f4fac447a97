// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <armilla/dialect/splitc.hpp>

#include "bench/papers/lu/part.hpp"

/// LU in Split-C's words: the pivot block goes by one-way stores, the perimeter's blocks are prefetched before the others are
/// updated, and all processors meet between the parts of a step. Paper: MRPC, section 5 (sc-lu).
namespace lu::in_splitc {
using namespace armilla::splitc;
using armilla::splitc::sync;

// parallel
class elimination {
 public:
  explicit elimination(part& mine)
      : mine_(mine),
        data_(am::all_gather(global<double*>(mine.data()))),
        pivots_(am::all_gather(global<double*>(mine.pivots()))) {}

  void eliminate() {
    for (int k = 0;; ++k) {
      if (mine_.owns_pivot(k)) mine_.factor_pivot(k);
      if (k + 1 == mine_.steps()) return;
      if (mine_.owns_pivot(k)) store_pivot(k);
      all_store_sync();
      if (mine_.in_row(k) || mine_.in_column(k)) mine_.solve_perimeter(k);
      barrier();
      get_perimeter(k);
      sync();
      mine_.update_urgent(k);
      mine_.update_rest(k);
    }
  }

 private:
  void store_pivot(int k) {
    const std::size_t elements = mine_.matrix().elements();
    for (const auto& mates : {mine_.row_mates(), mine_.column_mates()})
      for (const int mate : mates)
        bulk_store(pivots_[std::size_t(mate)] + k * std::ptrdiff_t(elements), mine_.pivot(k), elements * sizeof(double));
  }
  void get_perimeter(int k) {
    if (!mine_.in_column(k)) get(mine_.left_copy(k), data_[std::size_t(mine_.owner_of_left(k))] + mine_.place_of_left(k));
    if (!mine_.in_row(k))
      for (int j = mine_.first_column_behind(k); j < mine_.steps(); j = mine_.first_column_behind(j))
        get(mine_.above_copy(k, j), data_[std::size_t(mine_.owner_of_above(k))] + mine_.place_of_above(k, j));
  }
  static void get(std::span<double> copy, global<double*> from) {
    if (!copy.empty()) bulk_get(copy.data(), from, copy.size_bytes());
  }

  part& mine_;
  std::vector<global<double*>> data_, pivots_;  // by processor
};
// end of parallel

}  // namespace lu::in_splitc
