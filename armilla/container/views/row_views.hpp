// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/container/views/row_views_inline.hpp"

namespace armilla {

namespace views {

/// Returns the elements in rows of `n`, each a `std::span`; the last row has what is left. `usage_error` for 0.
///
/// The rank that has the first element of a row works on it. A row on one rank is used in place. A row across ranks is copied to
/// that rank in bulk, and written back after the function. If the elements are computed, a row is a copy of constant ones. A row
/// is valid while a function has it.
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

/// Returns all rows of `n` elements that follow each other: row i is a `std::span` of the constant elements [i, i + n).
/// `usage_error` for 0.
///
/// There are n - 1 fewer rows than elements. Rows across ranks are copied together.
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

/// Returns the elements of the elements, which are vectors, strings, spans or other ranges with random access, one after the
/// other. It has no size. Where an index is reported, it is that of the row.
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
