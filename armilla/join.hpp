// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "armilla/algorithm/sets/join_inline.hpp"

/// Joins of two inputs of pairs by key.
///
///     for (const auto& [city, people, country] : am::join(people_of, country_of)) show(city, people, country);
///
/// **Inputs** are those of `reduce_by_key` (armilla/by_key.hpp): what each member has of a container, of a file, or a range of
/// its own. The first and the second of an element are its key and its value. All members of `left` call them, and `right` is
/// over the same members.
///
/// **Result.** A `std::vector` with this rank's share of the result, in no particular order: those elements whose keys belong to
/// this rank. All elements of one key come to one rank: if half of the elements have one key, one rank does half of the work.
///
/// **Errors.** If a file or a container throws on one rank, or if a rank has no memory for its share, all ranks throw.
///
/// **Cost.** Each element is sent once, in one exchange for each input, already sorted into partitions that fit into a cache.
/// Memory for both inputs twice.
namespace armilla {

/// Returns the inner join: for each pair of elements with one key, a tuple (key, value of `left`, value of `right`).
template <class L, class R>
auto join(L&& left, R&& right);

/// Returns the elements of `left` whose keys `right` has, each once, as pairs.
template <class L, class R>
auto semi_join(L&& left, R&& right) {
  return detail::filter_by_key("semi_join", left, right, true);
}

/// Returns the elements of `left` whose keys `right` does not have, as pairs.
template <class L, class R>
auto anti_join(L&& left, R&& right) {
  return detail::filter_by_key("anti_join", left, right, false);
}

// ---- Implementation only below ----

template <class L, class R>
auto join(L&& left, R&& right) {
  const team t = detail::members_of(left);
  auto both = detail::meeting_by_key<L, R>::of(t, "join", left, right);
  using meeting = decltype(both);
  std::vector<std::tuple<typename meeting::key, detail::value_of_pairs<L>, detail::value_of_pairs<R>>> joined;
  detail::failure why;
  try {
    detail::chained<typename meeting::left_pairs::element> table;
    detail::reserve_large(joined, std::max(both.left.size(), both.right.size()));
    for (std::size_t p = 0; p < both.left.partitions(); ++p) {
      table.clear(both.left.size() / both.left.partitions());
      both.left.in(p, [&](const auto& e) { table.add(e); });
      both.right.in(p, [&](const auto& e) {
        table.each(e.first, [&](const auto& l) { joined.emplace_back(e.first, l.second, e.second); });
      });
    }
  } catch (...) { why.note(); }
  detail::agree(t, "join", why);
  return joined;
}

}  // namespace armilla
