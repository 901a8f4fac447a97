// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "armilla/algorithm/elementwise/first_found.hpp"
#include "armilla/algorithm/elementwise/in_order.hpp"
#include "armilla/algorithm/elementwise/projected.hpp"
#include "armilla/everything.hpp"
#include "armilla/query.hpp"
#include "armilla/sort.hpp"

/// What searches for rows of elements do inside.
namespace armilla::detail {

/// The elements of a piece, and behind it the first ones that follow.
template <class C, class T>
struct piece_and_more {
  const C& piece;
  std::size_t n;
  const std::vector<T>& more;
  T operator[](std::size_t k) const { return k < n ? T(piece[k]) : more[k - n]; }
};

/// Elements [first, end), copied from wherever they lie. `fetched` is the same for what follows.
template <class V>
std::vector<typename V::value_type> copy_between(const V& v, std::size_t first, std::size_t end, scratch& fetched) {
  std::vector<typename V::value_type> all;
  all.reserve(end - first);
  for (std::size_t i = first; i < end;) {
    std::size_t n = std::min(v.run_at(i).end, end) - i;
    const auto c = v.window(i, n, fetched);
    for (std::size_t k = 0; k < n; ++k) all.push_back(c[k]);
    fetched.finish();
    i += n;
  }
  return all;
}

enum class which { first, last };

/// The first or last index from which on `m` elements are as `fits(j, element)` says.
template <which Wanted, class V, class Fits>
std::size_t find_row(const V& v, std::size_t m, const char* operation, Fits fits) {
  algorithm_call why(operation, v);
  enter_in_order(v);
  if (v.ordered()) meet(v.members());  // elements that follow a member's own
  const std::size_t size = v.extent();
  if (m == 0) {
    agree(v.members(), operation, why);
    return Wanted == which::first ? 0 : size;
  }
  std::size_t found = npos;
  first_found of_all(v.members(), Wanted == which::first ? size : 0);
  scratch behind;  // what has come from behind a piece is not asked for again
  walk_in_order(v, why, [&](const auto c, std::size_t n, const indices& at) {
    const std::size_t first = at(0);
    if (m > size || first > size - m) return false;
    const std::size_t starts = std::min(n, size - m + 1 - first);
    const auto more = copy_between(v, first + n, std::max(first + n, first + starts + m - 1), behind);
    const piece_and_more<decltype(c), typename V::value_type> row{c, n, more};
    std::size_t k = 0;
    try {
      for (; k < starts; ++k) {
        constexpr std::size_t block = first_found::between_looks;
        if (k % block == block - 1 && of_all.is_over(block, [&] { return first + k; })) return false;
        std::size_t j = 0;
        while (j < m && fits(j, row[k + j])) ++j;
        if (j < m) continue;
        found = first + k;
        if (Wanted == which::last) continue;
        of_all.tell(found);
        break;
      }
    } catch (const detail::passing&) { throw; } catch (...) {
      why.note(first + k);
    }
    return !why.happened() && (Wanted == which::last || found == npos);
  });
  if constexpr (Wanted == which::first)
    return agree(v.members(), operation, why, found, lesser);
  else
    return agree(v.members(), operation, why, found, greater_position);
}

/// What is searched for, on this rank.
template <class P>
auto pattern_of(const P& pattern) {
  if constexpr (distributed_range<P>)
    return armilla::everything(pattern);
  else
    return std::vector(std::begin(pattern), std::end(pattern));
}

/// The same, once all members of `t` are there.
template <class P>
auto pattern_on(const team& t, const P& pattern) {
  if constexpr (distributed_range<P>) meet(t);
  return pattern_of(pattern);
}

template <which Wanted, class R, class P, class Same>
std::size_t search_for(R& r, const P& pattern, const char* operation, Same&& same) {
  const auto v = require_sized(reading(r));
  const auto row = pattern_on(v.members(), pattern);
  return find_row<Wanted>(v, row.size(), operation,
                          [&](std::size_t j, const auto& e) { return bool(std::invoke(same, e, row[j])); });
}

}  // namespace armilla::detail
