// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/container/grid/graph_views_inline.hpp"

namespace armilla {

namespace views {

/// Where the edges of each vertex lead: a range as long as the graph, whose element v is the std::span of `g.neighbours(v)`, on
/// the rank that has the vertex. Beside arrays that are `like(g)` in a zip; flattened it is the ends of all edges. Rows of ranks
/// that are not mapped are fetched in bulk.
template <class V, class E>
auto neighbours(const graph<V, E>& g) {
  return detail::neighbours_view(g.shape(), g.shape().out);
}
/// Where the edges come from that lead to each vertex. usage_error if the graph has no rows of them.
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
