// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/papers/water/reference.hpp"

namespace water {

/// What one of several workers has: its molecules, and its view of all. It knows nothing of how workers talk to each other.
class worker {
 public:
  worker(const box& x, int workers, int me)
      : box_(x),
        workers_(workers),
        own_(part_of(x.molecules, workers, me)),
        beginning_(at_beginning(x, own_)),
        mine_(beginning_),
        view_(x) {
    for (int w = 0; w < workers; ++w) {
      if (w == me) continue;
      const range other = part_of(x.molecules, workers, w);
      if (const range r = needed(own_, other, x.molecules); r.count() > 0) sources_.push_back({w, r});
      if (const range r = needed(other, own_, x.molecules); r.count() > 0) readers_.push_back({w, r});
    }
  }

  void reset() { mine_ = beginning_; }

  /// Another worker, and the molecules that one has and the other needs.
  struct neighbour {
    int who;
    range what;
  };
  const std::vector<neighbour>& sources() const noexcept { return sources_; }  ///< whose molecules this one needs
  const std::vector<neighbour>& readers() const noexcept { return readers_; }  ///< those that need this one's

  const box& space() const noexcept { return box_; }
  int workers() const noexcept { return workers_; }
  const range& own() const noexcept { return own_; }
  range of(int w) const noexcept { return part_of(box_.molecules, workers_, w); }
  molecules& mine() noexcept { return mine_; }
  field& view() noexcept { return view_; }

  /// The own molecules come into view. Then the pairs among them, and those with others that are in view; `between()` is called
  /// now and then.
  void see_own() { view_.put(own_.first, mine_.places()); }
  template <class F>
  void add_pairs_with(const range& others, F&& between) {
    for (int i = 0; i < mine_.count(); ++i) {
      view_.add_pairs(own_.first + i, mine_.place(i), others);
      between();
    }
  }
  /// What this worker has computed for its own molecules.
  void take_own_forces() {
    for (int i = 0; i < mine_.count(); ++i) mine_.add_force(i, view_.force_on(own_.first + i));
  }
  /// What it has computed for those of others.
  void forces_on(const range& others, triple* into) const {
    for (int m = others.first; m < others.last; ++m) *into++ = view_.force_on(m);
  }
  /// What another one has computed for a run of this one's.
  void take_forces(int first, const triple* forces, int count) {
    for (int i = 0; i < count; ++i) mine_.add_force(first - own_.first + i, forces[i]);
  }

 private:
  box box_;
  int workers_;
  range own_;
  molecules beginning_, mine_;
  field view_;
  std::vector<neighbour> sources_, readers_;
};

}  // namespace water
