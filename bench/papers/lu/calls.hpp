// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "bench/papers/lu/elimination.hpp"

/// LU, CC++'s way: a rank that has something to give calls a method of the others, one that needs something asks its owner for
/// it, in a call whose body waits until it is there. Paper: MRPC, section 5 (cc-lu).
namespace lu {

// parallel
/// A rank's part, and what other ranks call.
class served_part : public part {
 public:
  using part::part;

  void reset() {
    part::reset();
    pivot_here_ = std::make_unique<am::sync_var<void>[]>(std::size_t(steps()));
    solved_ = std::make_unique<am::sync_var<void>[]>(std::size_t(steps()));
  }

  void take_pivot(int k, const am::view<double>& block) {
    std::copy(block.begin(), block.end(), pivot(k));
    pivot_here_[std::size_t(k)].write();
  }
  std::span<const double> left_when_solved(int k) {
    solved_[std::size_t(k)].read();
    return left(k);
  }
  std::span<const double> above_when_solved(int k, int j) {
    solved_[std::size_t(k)].read();
    return above(k, j);
  }

  void await_pivot(int k) { pivot_here_[std::size_t(k)].read(); }
  void perimeter_solved(int k) { solved_[std::size_t(k)].write(); }

 private:
  std::unique_ptr<am::sync_var<void>[]> pivot_here_, solved_;  ///< by step
};

class by_calls {
 public:
  explicit by_calls(am::distributed<served_part>& parts) : parts_(parts), mine_(*parts) {}

  void send_pivot(int k) {
    const am::view<double> block(std::span<const double>(mine_.pivot(k), mine_.matrix().elements()));
    for (const auto& mates : {mine_.row_mates(), mine_.column_mates()})
      for (const am::rank_t r : mates) am::async<&served_part::take_pivot>(parts_.on(r), k, block);
    am::flush();
  }
  void await_pivot(int k) { mine_.await_pivot(k); }
  void perimeter_solved(int k) { mine_.perimeter_solved(k); }

  void begin_fetch(int k) {
    if (const auto copy = mine_.left_copy(k); !mine_.in_column(k) && !copy.empty())
      fetched_.push_back(am::call_into<&served_part::left_when_solved>(parts_.on(mine_.owner_of_left(k)), copy, k));
    if (!mine_.in_row(k))
      for (int j = mine_.first_column_behind(k); j < mine_.steps(); j = mine_.first_column_behind(j))
        fetched_.push_back(
            am::call_into<&served_part::above_when_solved>(parts_.on(mine_.owner_of_above(k)), mine_.above_copy(k, j), k, j));
  }
  void finish_fetch(int) {
    for (am::future<std::span<double>>& f : fetched_) f.get();
    fetched_.clear();
  }

 private:
  am::distributed<served_part>& parts_;
  served_part& mine_;
  std::vector<am::future<std::span<double>>> fetched_;
};
// end of parallel

}  // namespace lu
