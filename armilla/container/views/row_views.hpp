// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/container/views/row_views_inline.hpp"

namespace armilla {

namespace views {

/// The elements in rows of n, each a std::span; the last row has what is left. The rank that has the first element of a row works
/// on it. A row that lies on one rank is used in place; of one that crosses a border that rank has a copy, fetched in bulk and
/// put back behind the function. Of a view that computes its elements a row is a copy of const ones. A row is good while the
/// function has it. usage_error for 0.
template <distributed_range R>
auto chunk(R&& r, std::size_t n) {
  auto v = detail::require_sized(views::all(std::forward<R>(r)));
  if (n == 0) [[unlikely]]
    detail::throw_empty_rows("views::chunk");
  return detail::spans_view<decltype(v)>(std::move(v), n, n);
}
inline auto chunk(std::size_t n) {
  return detail::closure{[n](auto&& r) { return views::chunk(std::forward<decltype(r)>(r), n); }};
}

/// All rows of n elements that follow each other: row i is a std::span of the const elements [i, i + n). There are n - 1 fewer of
/// them than elements. Rows that cross a border are copied together. usage_error for 0.
template <distributed_range R>
auto slide(R&& r, std::size_t n) {
  auto v = detail::require_sized(views::all(std::forward<R>(r)).reading());
  if (n == 0) [[unlikely]]
    detail::throw_empty_rows("views::slide");
  return detail::spans_view<decltype(v)>(std::move(v), 1, n);
}
inline auto slide(std::size_t n) {
  return detail::closure{[n](auto&& r) { return views::slide(std::forward<decltype(r)>(r), n); }};
}

/// The elements of the elements, which are vectors, texts, spans or other ranges with random access, one after the other. It has
/// no size; folds, questions, for_each, copy and everything take it. What has an index has that of the row.
template <distributed_range R>
auto flatten(R&& r) {
  auto v = views::all(std::forward<R>(r));
  return detail::flatten_view<decltype(v)>(std::move(v));
}
inline auto flatten() {
  return detail::closure{[](auto&& r) { return views::flatten(std::forward<decltype(r)>(r)); }};
}

}  // namespace views
}  // namespace armilla
