// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "armilla/container/failure_agreement.hpp"

/// Finds, in sorted parts of several members, where the first so many elements of all end.
namespace armilla::detail {

/// One search: this member's part, and how many elements of all members are wanted. `lower` is the answer: so many are its own.
template <class T>
struct cut {
  std::span<const T> part;
  std::size_t wanted;
  std::size_t lower = 0, upper = part.size();  ///< the answer lies in [lower, upper]
  bool done = false;
};

/// An element that a member offers to compare with, and for how many it stands. Of equal elements the member and then the place
/// say which comes first.
template <class T>
struct offered {
  T value;
  std::uint64_t place, stands_for;
};

/// The number of the member whose offer halves what is left, if each counts for as many as it stands for.
template <class T, class Order>
std::size_t middle_of(std::span<const offered<T>> offers, const Order& comes_first) {
  std::vector<std::size_t> by_value;
  std::uint64_t all = 0, passed = 0;
  for (std::size_t m = 0; m < offers.size(); ++m) {
    if (offers[m].stands_for == 0) continue;
    by_value.push_back(m);
    all += offers[m].stands_for;
  }
  if (by_value.empty()) return offers.size();
  std::stable_sort(by_value.begin(), by_value.end(),
                   [&](std::size_t a, std::size_t b) { return comes_first(offers[a].value, offers[b].value); });
  for (const std::size_t m : by_value)
    if ((passed += offers[m].stands_for) * 2 >= all) return m;
  return by_value.back();
}

/// How many elements of this member's part come before the offer of `member`.
template <class T, class Order>
std::size_t count_before(const cut<T>& c, const offered<T>& pivot, std::size_t member, std::size_t me, const Order& comes_first) {
  const auto ordered = [&comes_first](const T& a, const T& b) { return comes_first(a, b); };
  if (member == me) return pivot.place;
  const auto at = me < member ? std::upper_bound(c.part.begin(), c.part.end(), pivot.value, ordered)
                              : std::lower_bound(c.part.begin(), c.part.end(), pivot.value, ordered);
  return std::clamp(std::size_t(at - c.part.begin()), c.lower, c.upper);
}

/// Does all searches at once. Each round of two collectives leaves at most three quarters of what was left: some twenty rounds
/// for a million elements. All members have the same number of searches, and want the same. Ends early on all, without answers,
/// when something has failed on one.
template <class T, class Order>
void find_cuts(const team& t, std::span<cut<T>> cuts, const Order& comes_first, const failure& why) {
  const std::size_t members = std::size_t(t.size()), me = std::size_t(t.rank()), searches = cuts.size();
  std::vector<offered<T>> mine(searches), of_one(members);
  std::vector<std::uint64_t> before(searches + 1);  // and whether this member has failed
  std::vector<std::size_t> pivot_of(searches);
  for (std::size_t left = searches; left > 0;) {
    for (std::size_t k = 0; k < searches; ++k) {
      const cut<T>& c = cuts[k];
      const std::size_t middle = (c.lower + c.upper) / 2, window = c.done ? 0 : c.upper - c.lower;
      mine[k] = {window > 0 ? c.part[middle] : T(), middle, window};
    }
    const std::vector<offered<T>> all = t.all_gather_v(mine);
    for (std::size_t k = 0; k < searches; ++k) {
      for (std::size_t m = 0; m < members; ++m) of_one[m] = all[m * searches + k];
      const std::size_t m = pivot_of[k] = middle_of(std::span<const offered<T>>(of_one), comes_first);
      before[k] = m == members ? cuts[k].lower : count_before(cuts[k], of_one[m], m, me, comes_first);
    }
    before[searches] = why.happened() ? 1 : 0;
    std::vector<std::uint64_t> sum = before;
    t.all_reduce(std::span<std::uint64_t>(sum), std::plus<>{});
    if (sum[searches] != 0) return;
    for (std::size_t k = 0; k < searches; ++k) {
      cut<T>& c = cuts[k];
      if (c.done) continue;
      if (sum[k] == c.wanted || pivot_of[k] == members) {
        c.lower = c.upper = before[k];
        c.done = true;
        --left;
      } else if (sum[k] < c.wanted) {
        c.lower = before[k] + (pivot_of[k] == me ? 1 : 0);
      } else {
        c.upper = before[k];
      }
    }
  }
}

}  // namespace armilla::detail
