// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/algorithm/sets/join_inline.hpp"

/// Joins of two inputs by key.
///
///     for (const auto& [city, people, country] : am::join(people_of, country_of)) show(city, people, country);
///
/// **Inputs** are those of `reduce_by_key` (armilla/by_key.hpp): a container, a view, a file, or a range of each member.
/// Elements are pairs of a key and a value. All members of `left` call these functions, and `right` is over the same members.
///
/// **Projections.** Two more arguments, functions or pointers to members, return the key of an element of `left` and of
/// `right`. Elements may then have any type, and the whole element is the value.
///
///     for (const auto& [number, o, c] : am::join(orders, customers, &order::customer, &customer::number)) show(number, o, c);
///
/// **Result.** A `std::vector` with this rank's share of the result, in no particular order: the elements whose keys belong to
/// this rank. All elements of one key are sent to one rank: if half of the elements have one key, one rank does half of the
/// work.
///
/// **Errors.** If a file or a container throws on one rank, or if a rank has no memory for its share, all ranks throw.
///
/// **Cost.** Each element is sent once, in one exchange for each input, already sorted into partitions that fit into a cache.
/// Memory: twice that of both inputs.
namespace armilla {

/// Returns the inner join: for each pair of elements with equal keys, a tuple (key, value of `left`, value of `right`).
template <class L, class R>
auto join(L&& left, R&& right);

/// Does the same for elements of any type: returns tuples (key, element of `left`, element of `right`).
template <class L, class R, class LeftKey, class RightKey>
auto join(L&& left, R&& right, LeftKey left_key, RightKey right_key);

/// Returns the left join: the inner join, and each element of `left` whose key does not occur in `right`. The third component
/// of a tuple is a `std::optional`, which is empty for such an element.
template <class L, class R>
auto left_join(L&& left, R&& right) {
  using key = detail::key_of_pairs<L>;
  using third = std::optional<detail::value_of_pairs<R>>;
  return detail::join_by_key<std::tuple<key, detail::value_of_pairs<L>, third>>(
      "left_join", left, right, [](auto& joined, const auto& e, auto& table) {
        const std::size_t before = joined.size();
        table.each(e.first, [&](const auto& r) { joined.emplace_back(e.first, e.second, r.second); });
        if (joined.size() == before) joined.emplace_back(e.first, e.second, third());
      });
}

/// Does the same for elements of any type.
template <class L, class R, class LeftKey, class RightKey>
auto left_join(L&& left, R&& right, LeftKey left_key, RightKey right_key) {
  detail::keyed_input<std::remove_reference_t<L>, LeftKey> l(left, std::move(left_key), "left_join");
  detail::keyed_input<std::remove_reference_t<R>, RightKey> r(right, std::move(right_key), "left_join");
  return left_join(l, r);
}

/// Returns the elements of `left` whose keys occur in `right`, each once, as pairs.
template <class L, class R>
auto semi_join(L&& left, R&& right) {
  return detail::filter_by_key("semi_join", left, right, true);
}

/// Does the same of elements of any type: the elements of `left` themselves.
template <class L, class R, class LeftKey, class RightKey>
auto semi_join(L&& left, R&& right, LeftKey left_key, RightKey right_key) {
  detail::keyed_input<std::remove_reference_t<L>, LeftKey> l(left, std::move(left_key), "semi_join");
  detail::keyed_input<std::remove_reference_t<R>, RightKey> r(right, std::move(right_key), "semi_join");
  return detail::filter_by_key<detail::as_element>("semi_join", l, r, true);
}

/// Returns the elements of `left` whose keys do not occur in `right`, as pairs.
template <class L, class R>
auto anti_join(L&& left, R&& right) {
  return detail::filter_by_key("anti_join", left, right, false);
}

/// Does the same of elements of any type: the elements of `left` themselves.
template <class L, class R, class LeftKey, class RightKey>
auto anti_join(L&& left, R&& right, LeftKey left_key, RightKey right_key) {
  detail::keyed_input<std::remove_reference_t<L>, LeftKey> l(left, std::move(left_key), "anti_join");
  detail::keyed_input<std::remove_reference_t<R>, RightKey> r(right, std::move(right_key), "anti_join");
  return detail::filter_by_key<detail::as_element>("anti_join", l, r, false);
}

// ---- Implementation only below ----

template <class L, class R>
auto join(L&& left, R&& right) {
  const team t = detail::members_of(left);
  detail::algorithm_call why("join");
  auto both = detail::meeting_by_key<L, R>::of(t, "join", left, right);
  using meeting = decltype(both);
  std::vector<std::tuple<typename meeting::key, detail::value_of_pairs<L>, detail::value_of_pairs<R>>> joined;
  try {
    detail::chained<typename meeting::left_pairs::element> table;
    detail::reserve_large(joined, std::max(both.left.size(), both.right.size()));
    both.each_partition([&](std::size_t p) {
      table.clear(both.left.size() / both.left.partitions());
      both.left.in(p, [&](const auto& e) { table.add(e); });
      both.right.in(p, [&](const auto& e) {
        table.each(e.first, [&](const auto& l) { joined.emplace_back(e.first, l.second, e.second); });
      });
    });
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  detail::agree(t, "join", why);
  return joined;
}

template <class L, class R, class LeftKey, class RightKey>
auto join(L&& left, R&& right, LeftKey left_key, RightKey right_key) {
  detail::keyed_input<std::remove_reference_t<L>, LeftKey> l(left, std::move(left_key), "join");
  detail::keyed_input<std::remove_reference_t<R>, RightKey> r(right, std::move(right_key), "join");
  return join(l, r);
}

}  // namespace armilla
