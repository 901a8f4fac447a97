// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "armilla/algorithm/elementwise/first_found.hpp"
#include "armilla/fold.hpp"

/// Implements the algorithms that ask something of a range.
namespace armilla::detail {

inline constexpr auto lesser = [](std::size_t a, std::size_t b) { return a < b ? a : b; };
inline constexpr auto greater_position = [](std::size_t a, std::size_t b) {
  if (a == npos || b == npos) return a == npos ? b : a;
  return a < b ? b : a;
};

/// The first k of [from, end) at which test(k) holds; `end` if there is none. What it throws is noted.
template <class C, class Test>
std::size_t first_in_piece(const C& c, std::size_t from, std::size_t end, const indices& at, failure& why, Test test) {
  std::size_t k = from;
  try {
#pragma GCC unroll 8
    for (; k < end; ++k)
      if (passes(c, k) && test(k)) return k;
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note(at(k));
  }
  return end;
}

/// The first index whose element `predicate` holds for; npos if there is none.
template <class V, class P>
std::size_t find_first(const V& v, const char* operation, P&& predicate) {
  algorithm_call why(operation, v);
  enter(v);
  std::size_t found = npos;
  first_found of_all(v.members(), v.extent());
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    for (std::size_t from = 0, end = 0; from < n; from = end) {
      end = from + std::min(n - from, first_found::between_looks);
      const std::size_t k = first_in_piece(c, from, end, at, why, [&](std::size_t j) { return bool(apply_at(predicate, c, j)); });
      if (k < end) of_all.tell(found = at(k));
      if (k < end || why.happened() || of_all.is_over(end - from, [&] { return at(end - 1); })) return false;
    }
    return true;
  });
  return agree(v.members(), operation, why, found, lesser);
}

/// The last one.
template <class V, class P>
std::size_t find_last_of_all(const V& v, const char* operation, P&& predicate) {
  algorithm_call why(operation, v);
  enter(v);
  std::size_t found = npos;
  walk(v, why, [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) {
      if (bool(apply_at(predicate, c, k))) found = at(k);
    });
    return !why.happened();
  });
  return agree(v.members(), operation, why, found, greater_position);
}

/// Each element beside the one that follows it.
template <class V>
auto neighbours(const V& v) {
  const std::size_t n = v.extent();
  return views::zip(views::take(v, n == 0 ? 0 : n - 1), views::drop(v, 1));
}

template <class V>
std::size_t size_of(const V& v) {
  return require_sized(v).extent();
}

}  // namespace armilla::detail
