// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "bench/papers/lu/elimination.hpp"

/// LU, Split-C's way: pivot blocks go by one-way stores that signal behind the data, the perimeter is prefetched by split-phase
/// gets. Paper: MRPC, section 5 (sc-lu).
namespace lu {

// parallel
class by_pointers {
 public:
  /// Collective, as all constructors of versions.
  explicit by_pointers(part& mine)
      : mine_(mine),
        data_(am::all_gather(mine.data())),
        pivots_(am::all_gather(mine.pivots())),
        pivot_here_(mine.steps()),
        solved_(mine.steps()) {}

  void send_pivot(int k) {
    const std::span<const double> block(mine_.pivot(k), mine_.matrix().elements());
    for (const auto& mates : {mine_.row_mates(), mine_.column_mates()})
      for (const am::rank_t r : mates)
        am::store(pivots_[std::size_t(r)] + k * std::ptrdiff_t(block.size()), block, pivot_here_.on(r, k));
  }
  void await_pivot(int k) { pivot_here_.mine(k).wait(); }

  void perimeter_solved(int k) {
    if (mine_.in_column(k))
      for (const am::rank_t r : mine_.row_mates()) solved_.on(r, k).signal();
    if (mine_.in_row(k))
      for (const am::rank_t r : mine_.column_mates()) solved_.on(r, k).signal();
  }

  /// Where the owners have solved already, the blocks are on their way while this rank computes.
  void begin_fetch(int k) {
    begun_ = solved_.mine(k).try_wait(owners(k));
    if (begun_) get(k);
  }
  void finish_fetch(int k) {
    if (!begun_) {
      solved_.mine(k).wait(owners(k));
      get(k);
    }
    am::sync_memory();
  }

 private:
  /// A counter for each step, on every rank: what arrives for different steps may overtake.
  class counters {
   public:
    explicit counters(int n) : mine_(am::allocate<am::counter>(std::size_t(n))) {
      std::uninitialized_default_construct_n(mine_.local(), n);
      all_ = am::all_gather(mine_);
    }
    ~counters() { am::deallocate(mine_); }
    counters(const counters&) = delete;
    counters& operator=(const counters&) = delete;
    am::counter& mine(int k) const { return mine_.local()[k]; }
    am::global_ptr<am::counter> on(am::rank_t r, int k) const { return all_[std::size_t(r)] + k; }

   private:
    am::global_ptr<am::counter> mine_;
    std::vector<am::global_ptr<am::counter>> all_;
  };

  /// How many others solve what this rank reads in step k.
  std::uint64_t owners(int k) const { return std::uint64_t(!mine_.in_column(k)) + std::uint64_t(!mine_.in_row(k)); }

  void get(int k) {
    if (const auto copy = mine_.left_copy(k); !mine_.in_column(k) && !copy.empty())
      am::get(copy, data_[std::size_t(mine_.owner_of_left(k))] + mine_.place_of_left(k));
    if (!mine_.in_row(k))
      for (int j = mine_.first_column_behind(k); j < mine_.steps(); j = mine_.first_column_behind(j))
        am::get(mine_.above_copy(k, j), data_[std::size_t(mine_.owner_of_above(k))] + mine_.place_of_above(k, j));
  }

  part& mine_;
  std::vector<am::global_ptr<double>> data_, pivots_;
  counters pivot_here_, solved_;
  bool begun_ = false;
};
// end of parallel

}  // namespace lu
