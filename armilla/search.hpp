// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

#include "armilla/algorithm/order/search_inline.hpp"

/// Searches for several elements in a row, and the comparison of two ranges without their order.
///
/// All members of the range's team call them, and get the same result. A position is an index, `npos` for none. A pattern is a
/// short range of the standard library, the same on all members, or a distributed one, of which each member makes a copy. For
/// single elements see armilla/query.hpp.
///
///     const std::size_t at = am::search(x, std::vector<double>{1, 2, 3});
namespace armilla {

/// Returns the first index from which on the elements of `pattern` follow each other; `npos` if there is none, 0 if the pattern
/// is empty.
///
/// Cost: one pass and two collectives. Each run of elements is read with as many elements after it as the pattern has.
template <distributed_range R, class Pattern, class Same = std::equal_to<>, class Projection = std::identity,
          class OfPattern = std::identity>
std::size_t search(R&& r, const Pattern& pattern, Same same = {}, Projection of = {}, OfPattern of_pattern = {}) {
  detail::require_function(same, "search");
  detail::require_function(of, "search");
  return detail::search_for<detail::which::first>(r, pattern, "search", detail::related(same, of, of_pattern));
}

/// Returns the last such index; the size for an empty pattern.
template <distributed_range R, class Pattern, class Same = std::equal_to<>, class Projection = std::identity,
          class OfPattern = std::identity>
std::size_t find_end(R&& r, const Pattern& pattern, Same same = {}, Projection of = {}, OfPattern of_pattern = {}) {
  detail::require_function(same, "find_end");
  detail::require_function(of, "find_end");
  return detail::search_for<detail::which::last>(r, pattern, "find_end", detail::related(same, of, of_pattern));
}

/// Returns the index of the first element that is equal to one of `values`, which is a range like the pattern of `search`. Cost:
/// one pass, in which each element is compared with all of them.
template <distributed_range R, class Values, class Same = std::equal_to<>, class Projection = std::identity,
          class OfValues = std::identity>
std::size_t find_first_of(R&& r, const Values& values, Same same = {}, Projection of = {}, OfValues of_values = {});

/// Returns the first index from which on `n` elements are equal to `value`; 0 if `n` is 0.
template <distributed_range R, class T, class Same = std::equal_to<>, class Projection = std::identity>
std::size_t search_n(R&& r, std::size_t n, const T& value, Same same = {}, Projection of = {});

/// Returns whether two ranges have the same elements, each as often, in any order. Elements have `<`, and are equal if none is
/// less. Cost: a copy of both, and the sort of these.
template <distributed_range A, distributed_range B>
bool is_permutation(A&& a, B&& b);

// ---- Implementation only below ----

template <distributed_range R, class Values, class Same, class Projection, class OfValues>
std::size_t find_first_of(R&& r, const Values& values, Same same, Projection of, OfValues of_values) {
  const detail::algorithm_call all("find_first_of");
  const auto v = detail::reading(r);
  const auto wanted = detail::pattern_on(v.members(), values);
  auto&& alike = detail::related(same, of, of_values);
  return detail::find_first(v, "find_first_of", [&](const auto& e) {
    return std::ranges::any_of(wanted, [&](const auto& w) { return bool(std::invoke(alike, e, w)); });
  });
}

template <distributed_range R, class T, class Same, class Projection>
std::size_t search_n(R&& r, std::size_t n, const T& value, Same same, Projection of) {
  detail::require_function(same, "search_n");
  detail::require_function(of, "search_n");
  return detail::find_row<detail::which::first>(
      detail::require_sized(detail::reading(r)), n, "search_n",
      [&](std::size_t, const auto& e) { return bool(std::invoke(same, std::invoke(of, e), value)); });
}

template <distributed_range A, distributed_range B>
bool is_permutation(A&& a, B&& b) {
  const detail::algorithm_call all("is_permutation");
  const auto x = detail::require_sized(detail::reading(a));
  const auto y = detail::require_sized(detail::reading(b));
  detail::require_one_team(y, x);
  if (x.extent() != y.extent()) return false;
  using T = typename std::remove_cvref_t<decltype(x)>::value_type;
  array<T> first(x.extent(), on(x.members())), second(y.extent(), on(x.members()));
  armilla::copy(x, first);
  armilla::copy(y, second);
  armilla::sort(first);
  armilla::sort(second);
  return armilla::equal(first, second, [](const T& e, const T& f) { return !(e < f) && !(f < e); });
}

}  // namespace armilla
