// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <tuple>
#include <vector>

#include "armilla/algorithm/sets/join_inline.hpp"

/// Two inputs of pairs brought together by key. Inputs are as those of `reduce_by_key`: what each member has of a container, of a
/// file, or a range of its own; the first and the second of an element are its key and its value.
///
/// Each element travels once, in one exchange for an input. It is put behind the others of its key's partition before it
/// leaves, so that what comes is in partitions which fit into a cache, and each is joined there. All elements of one key come to
/// one rank: a key that half of an input has is a half for that rank.
namespace armilla {

/// Inner join: for each pair of elements with one key a tuple (key, value of `left`, value of `right`). Gives this rank's part of
/// the result, in no particular order: those whose keys belong here. All members of `left` call it, and `right` is over the same.
/// What a file or a container throws on one rank comes on all, and so does that a rank has no memory for its part. Cost: each
/// element travels once; memory for both inputs twice.
///
///     for (const auto& [city, people, country] : am::join(people_of, country_of)) show(city, people, country);
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

/// The elements of `left` whose keys `right` has, each once: a std::vector of pairs, this rank's part. Else as `join`.
template <class L, class R>
auto semi_join(L&& left, R&& right) {
  return detail::filter_by_key("semi_join", left, right, true);
}
/// The elements of `left` whose keys `right` has not. Else as `join`.
template <class L, class R>
auto anti_join(L&& left, R&& right) {
  return detail::filter_by_key("anti_join", left, right, false);
}

}  // namespace armilla
