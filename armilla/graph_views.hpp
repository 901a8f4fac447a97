// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/container/grid/graph_views_inline.hpp"

namespace armilla {

namespace views {

/// Returns a range whose element v is the `std::span` of `g.neighbours(v)`, on the rank that stores the vertex.
///
/// Use it together with arrays that are `like(g)`, in a `zip`; flattened it is the targets of all edges. Rows of ranks that are
/// not mapped are fetched in pieces.
///
///     am::array<std::size_t> degrees(g.size(), am::like(g));
///     am::transform(am::views::neighbours(g), degrees, [](std::span<const am::vertex_id> row) { return row.size(); });
template <class V, class E>
auto neighbours(const graph<V, E>& g) {
  return detail::neighbours_view(g.shape(), g.shape().out);
}

/// Returns a range whose element v is the `std::span` of `g.in_neighbours(v)`. Throws `usage_error` if the graph does not store
/// incoming edges.
template <class V, class E>
auto in_neighbours(const graph<V, E>& g) {
  return detail::neighbours_view(g.shape(), detail::in_rows(g.shape(), "views::in_neighbours"));
}
template <class V, class E>
void neighbours(const graph<V, E>&&) = delete;  // a view does not keep a graph alive
template <class V, class E>
void in_neighbours(const graph<V, E>&&) = delete;

}  // namespace views
}  // namespace armilla
