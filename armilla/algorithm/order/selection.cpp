// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/order/selection.hpp"

#include <algorithm>
#include <functional>

#include "armilla/container/keyed/guarded_sort.hpp"

namespace armilla::detail {
namespace {

/// The number of the member whose offer for search k halves what is left, if each counts for as many as it stands for.
std::size_t middle_of(std::span<const offer> all, std::size_t k, std::size_t searches, offer_exchange::shown shown,
                      erased_order comes_first) {
  const std::size_t members = all.size() / searches;
  const auto value = [&](std::size_t m) { return shown.values + (m * searches + k) * shown.stride; };
  std::vector<std::size_t> by_value;
  std::uint64_t sum = 0, passed = 0;
  for (std::size_t m = 0; m < members; ++m) {
    const std::uint64_t n = all[m * searches + k].stands_for;
    if (n == 0) continue;
    by_value.push_back(m);
    sum += n;
  }
  if (by_value.empty()) return members;
  guarded_stable_sort(by_value.data(), by_value.size(),
                      [&](std::size_t a, std::size_t b) { return comes_first(value(a), value(b)); });
  for (const std::size_t m : by_value)
    if ((passed += all[m * searches + k].stands_for) * 2 >= sum) return m;
  return by_value.back();
}

/// How many elements of this member's part come before an element of another member.
std::size_t count_before(const cut& c, std::size_t size, const std::byte* value, bool equal_ones, erased_order comes_first) {
  const auto* const part = static_cast<const std::byte*>(c.part);
  std::size_t low = 0, high = c.n;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    const std::byte* const e = part + middle * size;
    if (equal_ones ? !comes_first(value, e) : comes_first(e, value))
      low = middle + 1;
    else
      high = middle;
  }
  return std::clamp(low, c.lower, c.upper);
}

/// More rounds than a strict weak order needs: after 160 three quarters of 2^64 are less than one.
constexpr int most_rounds = 200;

/// Answers in the same part must not cross. `wanted` ascends.
bool ascend(std::span<const cut> cuts) {
  for (std::size_t k = 1; k < cuts.size(); ++k)
    if (cuts[k].part == cuts[k - 1].part && cuts[k].lower < cuts[k - 1].lower) return false;
  return true;
}

}  // namespace

bool find_cuts(const team& t, std::span<cut> cuts, std::size_t size, erased_order comes_first, offer_exchange& offers,
               const failure& why) {
  const std::size_t members = std::size_t(t.size()), me = std::size_t(t.rank()), searches = cuts.size();
  std::vector<offer> mine(searches), all;
  std::vector<std::uint64_t> before(searches + 1);  // and whether this member has failed
  std::vector<std::size_t> pivot_of(searches);
  bool exact = true;
  int round = 0;
  for (std::size_t left = searches; left > 0; ++round) {
    if (round == most_rounds) return false;  // on all: they have the same rounds
    for (std::size_t k = 0; k < searches; ++k) {
      const cut& c = cuts[k];
      mine[k] = {(c.lower + c.upper) / 2, c.done ? 0 : c.upper - c.lower};
    }
    const offer_exchange::shown shown = offers.show(cuts, mine, all);
    for (std::size_t k = 0; k < searches; ++k) {
      const std::size_t m = pivot_of[k] = middle_of(all, k, searches, shown, comes_first);
      if (m == members)
        before[k] = cuts[k].lower;
      else if (m == me)
        before[k] = mine[k].place;
      else
        before[k] = count_before(cuts[k], size, shown.values + (m * searches + k) * shown.stride, me < m, comes_first);
    }
    before[searches] = why.happened() ? 1 : 0;
    std::vector<std::uint64_t> sum = before;
    t.all_reduce(std::span<std::uint64_t>(sum), std::plus<>{});
    if (sum[searches] != 0) return false;
    for (std::size_t k = 0; k < searches; ++k) {
      cut& c = cuts[k];
      if (c.done) continue;
      if (sum[k] == c.wanted || pivot_of[k] == members) {
        exact = exact && sum[k] == c.wanted;
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
  return exact && ascend(cuts);
}

bool cuts_agreed(const team& t, const char* operation, failure& why, bool mine) {
  return agree(t, operation, why, std::uint32_t(mine), std::bit_and<>{}) != 0;
}

}  // namespace armilla::detail
