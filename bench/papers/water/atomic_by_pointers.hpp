// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/papers/water/part.hpp"

/// Water, version atomic, Split-C's way: for each pair the other molecule is read through a global pointer, and what pulls at it
/// is added by atomic operations. Paper: MRPC, section 5 (water-atomic).
namespace water {

// parallel
class atomic_by_pointers {
 public:
  explicit atomic_by_pointers(am::distributed<part>& parts)
      : mine_(*parts),
        places_(am::all_gather(mine_.shown_places())),
        sums_(am::all_gather(am::allocate<double>(std::size_t(mine_.own().count()) * std::tuple_size_v<triple>))) {}
  ~atomic_by_pointers() {
    am::barrier();
    am::deallocate(sums_[std::size_t(am::rank())]);
  }
  atomic_by_pointers(const atomic_by_pointers&) = delete;
  atomic_by_pointers& operator=(const atomic_by_pointers&) = delete;

  void step() {
    mine_.mine().predict();
    mine_.show();
    triple* const sums = reinterpret_cast<triple*>(sums_[std::size_t(am::rank())].local());
    std::fill_n(sums, mine_.own().count(), triple{});
    am::barrier();
    mine_.see_own();
    mine_.add_pairs_with(mine_.own(), [] { am::poll(); });
    for (int i = 0; i < mine_.mine().count(); ++i) for_remote_pairs(mine_, i, [&](int m) { add_remote_pair(i, m); });
    am::sync_memory();
    am::barrier();
    mine_.take_own_forces();
    mine_.take_forces(mine_.own().first, sums, mine_.own().count());
    mine_.mine().correct();
  }

 private:
  void add_remote_pair(int i, int m) {
    const am::rank_t owner = mine_.owner(m);
    const std::ptrdiff_t place = m - mine_.of(owner).first;
    const triple there = *(places_[std::size_t(owner)] + place);
    triple pull;
    if (!mine_.view().add_pair(mine_.own().first + i, mine_.mine().place(i), there, pull)) return;
    am::global_ptr<double> sum = sums_[std::size_t(owner)] + place * std::ptrdiff_t(pull.size());
    for (const double component : pull) am::atomic_add(sum++, component);
  }

  part& mine_;
  std::vector<am::global_ptr<triple>> places_;
  std::vector<am::global_ptr<double>> sums_;
};
// end of parallel

}  // namespace water
