// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/papers/water/processor.hpp"

/// Water, version atomic, in CC++'s words: for each pair an atomic method tells where the other molecule is, and another adds
/// what pulls at it. Paper: MRPC, section 5 (water-atomic).
namespace water::in_ccpp {

// parallel
class atomic_version {
 public:
  explicit atomic_version(am::distributed<part>& parts) : mine_(*parts), all_(all_processors(mine_)) {}

  void step() {
    mine_.mine().predict();
    mine_.show();
    am::barrier();
    mine_.see_own();
    mine_.add_pairs_with(mine_.own(), [] { am::poll(); });
    for (int i = 0; i < mine_.mine().count(); ++i) for_remote_pairs(mine_, i, [&](int m) { add_remote_pair(i, m); });
    am::barrier();
    mine_.take_own_forces();
    mine_.mine().correct();
  }

 private:
  void add_remote_pair(int i, int m) {
    const global<processor*>& owner = all_[std::size_t(mine_.owner(m))];
    const triple there = owner->place_of(m);
    triple pull;
    if (mine_.view().add_pair(mine_.own().first + i, mine_.mine().place(i), there, pull)) owner->pull(m, pull);
  }

  part& mine_;
  std::vector<global<processor*>> all_;
};
// end of parallel

}  // namespace water::in_ccpp
