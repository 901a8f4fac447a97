// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include <armilla/dialect/ccpp.hpp>

#include "bench/papers/lu/part.hpp"

/// LU in CC++'s words: Split-C's stores and gets are calls of methods, a thread of control each. Paper: MRPC, section 5 (cc-lu).
namespace lu::in_ccpp {
using namespace armilla::ccpp;

// parallel
/// What CC++ programs call on another processor: a processor object a rank, which has the rank's blocks.
class processor {
 public:
  explicit processor(const am::global_ptr<part>& mine) : mine_(mine.local()) {}

  void take_pivot(int k, const std::vector<double>& block) { std::ranges::copy(block, mine_->pivot(k)); }
  std::vector<double> left(int k) const { return copy_of(mine_->left(k)); }
  std::vector<double> above(int k, int j) const { return copy_of(mine_->above(k, j)); }

  struct methods : armilla::ccpp::methods<processor> {
    rpc<&processor::take_pivot> take_pivot{this};
    rpc<&processor::left> left{this};
    rpc<&processor::above> above{this};
  };

 private:
  static std::vector<double> copy_of(std::span<const double> block) { return {block.begin(), block.end()}; }

  part* mine_;
};

class elimination {
 public:
  explicit elimination(part& mine) : mine_(mine), all_(am::all_gather(new_object<processor>(am::rank(), am::to_global(&mine)))) {}

  void eliminate() {
    for (int k = 0;; ++k) {
      if (mine_.owns_pivot(k)) mine_.factor_pivot(k);
      if (k + 1 == mine_.steps()) return;
      if (mine_.owns_pivot(k)) give_pivot(k);
      am::barrier();
      if (mine_.in_row(k) || mine_.in_column(k)) mine_.solve_perimeter(k);
      am::barrier();
      par([this, k] { fetch_left(k); }, [this, k] { fetch_above(k); });
      mine_.update_urgent(k);
      mine_.update_rest(k);
    }
  }

 private:
  void give_pivot(int k) {
    std::vector<am::rank_t> mates = mine_.row_mates();
    std::ranges::copy(mine_.column_mates(), std::back_inserter(mates));
    const std::vector<double> block(mine_.pivot(k), mine_.pivot(k) + mine_.matrix().elements());
    parfor(std::size_t(0), mates.size(), [&](std::size_t i) { all_[std::size_t(mates[i])]->take_pivot(k, block); });
  }
  void fetch_left(int k) {
    if (mine_.in_column(k)) return;
    const std::vector<double> blocks = all_[std::size_t(mine_.owner_of_left(k))]->left(k);
    std::ranges::copy(blocks, mine_.left_copy(k).data());
  }
  void fetch_above(int k) {
    if (mine_.in_row(k)) return;
    parfor(k + 1, mine_.steps(), [this, k](int j) {
      if (mine_.first_column_behind(j - 1) != j) return;
      const std::vector<double> block = all_[std::size_t(mine_.owner_of_above(k))]->above(k, j);
      std::ranges::copy(block, mine_.above_copy(k, j).data());
    });
  }

  part& mine_;
  std::vector<global<processor*>> all_;
};
// end of parallel

}  // namespace lu::in_ccpp
