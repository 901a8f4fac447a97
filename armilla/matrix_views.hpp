// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Views of a matrix: a row, a column or a rectangle as a range of cells, and ranges whose elements are rows, columns or tiles.
///
/// Cells that are not mapped are fetched before a function gets them, and written back unless the matrix is `std::as_const`.
/// Where memory is mapped nothing is copied. A view of a temporary does not compile.
///
///     am::sort(am::views::column(m, 3));
///     am::for_each(am::views::rows(m), [](auto row) { std::ranges::sort(row); });
#include <cstddef>
#include <type_traits>
#include <utility>

#include "armilla/container/grid/matrix_views_inline.hpp"
#include "armilla/container/place/closure.hpp"

namespace armilla {

namespace views {

/// Returns the cells from `first` up to, but without, `last`, row by row. Throws `usage_error` if the matrix does not have them.
template <detail::matrix_shaped R>
auto block(R&& r, const detail::cell_coordinates<R>& first, const detail::cell_coordinates<R>& last) {
  const auto v = views::all(std::forward<R>(r));
  for (std::size_t d = 0; d < first.size(); ++d)
    if (const std::size_t n = v.plan().shape.extents()[d]; first[d] > last[d] || last[d] > n) [[unlikely]]
      detail::throw_bad_block(d, first[d], last[d], n);
  return detail::block_view(v, {first, last});
}

/// Returns the cells (i, 0), (i, 1), ... of a matrix of two dimensions. Throws `usage_error` for a row beyond the end.
template <detail::has_rows R>
auto row(R&& r, std::size_t i) {
  const auto v = views::all(std::forward<R>(r));
  detail::checked_line(v, 0, i);
  return detail::block_view(v, {{i, 0}, {i + 1, v.plan().shape.extents()[1]}});
}
inline auto row(std::size_t i) {
  return detail::closure{[i](auto&& r) { return views::row(std::forward<decltype(r)>(r), i); }};
}

/// Returns the cells (0, j), (1, j), ... of a matrix of two dimensions. Throws `usage_error` for a column beyond the end.
template <detail::has_rows R>
auto column(R&& r, std::size_t j) {
  const auto v = views::all(std::forward<R>(r));
  return detail::column_view(v, detail::checked_line(v, 1, j));
}
inline auto column(std::size_t j) {
  return detail::closure{[j](auto&& r) { return views::column(std::forward<decltype(r)>(r), j); }};
}

/// Returns a range of all rows, each a `local_span<T, 1>` that is valid while a function has it. Throws `usage_error` if the grid
/// cuts rows; `grid({ranks, 1})` does not.
template <detail::has_rows R>
auto rows(R&& r) {
  return detail::lines_of<1>(views::all(std::forward<R>(r)), "views::rows");
}
inline auto rows() {
  return detail::closure{[](auto&& r) { return views::rows(std::forward<decltype(r)>(r)); }};
}

/// Returns a range of all columns, likewise. `grid({1, ranks})` does not cut them.
template <detail::has_rows R>
auto columns(R&& r) {
  return detail::lines_of<0>(views::all(std::forward<R>(r)), "views::columns");
}
inline auto columns() {
  return detail::closure{[](auto&& r) { return views::columns(std::forward<decltype(r)>(r)); }};
}

/// Returns a range of tiles, each a `local_span<T, N>` of these extents, or less at the end of a block. They are numbered row by
/// row. Throws `usage_error` for an extent of 0.
template <detail::matrix_shaped R>
auto tiles(R&& r, const detail::cell_coordinates<R>& sizes) {
  const auto v = views::all(std::forward<R>(r));
  for (std::size_t d = 0; d < sizes.size(); ++d)
    if (sizes[d] == 0) [[unlikely]]
      detail::throw_bad_tiles(d);
  using range = std::remove_const_t<decltype(v)>;
  return detail::tiles_view<typename range::element, range::dimensions, detail::as_tile>(v, sizes);
}

}  // namespace views
}  // namespace armilla
