// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include <armilla/dialect/splitc.hpp>

#include "bench/papers/water/part.hpp"

/// Water, version atomic, in Split-C's words: for each pair the other molecule is read through a spread array, and an atomic
/// function adds what pulls at it. Paper: MRPC, section 5 (water-atomic).
namespace water::in_splitc {
using namespace armilla::splitc;

// parallel
/// Runs where `p` points to.
inline void add_force(global<part*> p, int m, triple force) { tolocal(p)->take_forces(m, &force, 1); }

class atomic_version {
 public:
  explicit atomic_version(am::distributed<part>& parts)
      : mine_(*parts),
        parts_(am::all_gather(global<part*>(&mine_))),
        places_(PROCS, (mine_.space().molecules + PROCS - 1) / PROCS) {}

  void step() {
    mine_.mine().predict();
    std::ranges::copy(mine_.mine().places(), tolocal(places_[MYPROC]));
    barrier();
    mine_.see_own();
    mine_.add_pairs_with(mine_.own(), [] { armilla::splitc::poll(); });
    for (int i = 0; i < mine_.mine().count(); ++i) for_remote_pairs(mine_, i, [&](int m) { add_remote_pair(i, m); });
    barrier();
    mine_.take_own_forces();
    mine_.mine().correct();
  }

 private:
  void add_remote_pair(int i, int m) {
    const int owner = mine_.owner(m);
    const triple there = places_[owner][m - mine_.of(owner).first];
    triple pull;
    if (mine_.view().add_pair(mine_.own().first + i, mine_.mine().place(i), there, pull))
      atomic(add_force, owner, parts_[std::size_t(owner)], m, pull);
  }

  part& mine_;
  std::vector<global<part*>> parts_;
  spread_array<triple, 1, 1> places_;  // of a processor's molecules, on each
};
// end of parallel

}  // namespace water::in_splitc
