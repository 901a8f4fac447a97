// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "armilla/container/graph.hpp"

namespace armilla {
namespace detail {
array<double> betweenness(const graph_shape& g, std::span<const vertex_id> sources);
}

/// Betweenness centrality: for each vertex, over shortest paths from each of `sources` to all vertices, the sum of the shares of
/// those that lead through it. With all vertices as sources an undirected graph counts each pair twice. The array is dealt as the
/// vertices. Called by all members with the same sources.
///
/// Errors: usage_error on all for a source that is not there, or a graph without rows of the edges that lead to a vertex
/// (undirected or `in_edges`). Cost: for each source a `bfs`, and two meetings a level of it; what other ranks know of their
/// vertices is read where it is mapped, else fetched in bulk each level.
/// Paper: Brandes, A faster algorithm for betweenness centrality.
template <class V, class E>
array<double> betweenness(const graph<V, E>& g, std::span<const vertex_id> sources) {
  return detail::betweenness(g.shape(), sources);
}

}  // namespace armilla
