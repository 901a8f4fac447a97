// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench/papers/water/part.hpp"

/// Water, version atomic, CC++'s way: for each pair an atomic method of the other rank's part tells where the molecule is, and
/// another takes in what pulls at it. Paper: MRPC, section 5 (water-atomic).
namespace water {

// parallel
class atomic_part : public part {
 public:
  using part::part;
  triple place_of(int m) const { return shown({m, m + 1})[0]; }
  void pull(int m, const triple& force) { take_forces(m, &force, 1); }
  static constexpr am::atomic_list<&atomic_part::place_of, &atomic_part::pull> atomic_methods{};
};

class atomic_by_calls {
 public:
  explicit atomic_by_calls(am::distributed<atomic_part>& parts) : parts_(parts), mine_(*parts) {}

  void step() {
    mine_.mine().predict();
    mine_.show();
    am::barrier();
    mine_.see_own();
    mine_.add_pairs_with(mine_.own(), [] { am::poll(); });
    for (int i = 0; i < mine_.mine().count(); ++i) for_remote_pairs(mine_, i, [&](int m) { add_remote_pair(i, m); });
    mine_.take_own_forces();
    am::fence();
    mine_.mine().correct();
  }

 private:
  void add_remote_pair(int i, int m) {
    const am::object_ref<atomic_part> owner = parts_.on(mine_.owner(m));
    const triple there = am::call<&atomic_part::place_of>(owner, m).get();
    triple pull;
    if (mine_.view().add_pair(mine_.own().first + i, mine_.mine().place(i), there, pull))
      am::async<&atomic_part::pull>(owner, m, pull);
  }

  am::distributed<atomic_part>& parts_;
  atomic_part& mine_;
};
// end of parallel

}  // namespace water
