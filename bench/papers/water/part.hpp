// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include <armilla/armilla.hpp>

#include "bench/papers/water/worker.hpp"

namespace water {

namespace am = armilla;

/// The worker of a rank, and where its molecules are, in its segment, for others to see.
class part : public worker {
 public:
  explicit part(const box& x) : worker(x, am::ranks(), am::rank()), shown_(am::allocate<triple>(std::size_t(own().count()))) {}
  ~part() { am::deallocate(shown_); }
  part(const part&) = delete;
  part& operator=(const part&) = delete;

  /// Others may see where the molecules are now.
  void show() { std::copy(mine().places().begin(), mine().places().end(), shown_.local()); }
  /// `what` of this rank's molecules, as they were shown.
  std::span<const triple> shown(const range& what) const {
    return {shown_.local() + (what.first - own().first), std::size_t(what.count())};
  }
  am::global_ptr<triple> shown_places() const noexcept { return shown_; }

  /// The rank that has molecule m.
  am::rank_t owner(int m) const noexcept { return am::rank_t(((std::int64_t(m) + 1) * workers() - 1) / space().molecules); }

 private:
  am::global_ptr<triple> shown_;
};

/// Calls f(i, m) for the pairs of own molecule i with molecules m of other ranks.
template <class F>
void for_remote_pairs(const part& p, int i, F&& f) {
  const int n = p.space().molecules, me = p.own().first + i;
  for (int k = 1; k <= partners_of(me, n); ++k)
    if (const int m = (me + k) % n; !p.own().holds(m)) f(m);
}

}  // namespace water
