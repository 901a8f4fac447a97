// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/container/graph.hpp"

namespace armilla {
namespace detail {
array<std::int32_t> bfs(const graph_shape& g, std::size_t root);
}

/// Breadth-first search: how many edges lead from `root` to each vertex, -1 for those that it does not reach, as an array that is
/// dealt as the vertices. Called by all members.
///
/// Direction-optimising: where much of the graph is reached at once, vertices look for one that is, if the graph has rows of the
/// edges that lead to them (undirected or `in_edges`). Each rank goes through its own rows only.
/// Errors: usage_error on all for a root that is not there. Cost: two meetings a level; in all each rank tells each vertex of
/// another rank once at most, or a bit a vertex and level; a bit for each vertex of the graph on each rank.
/// Paper: Beamer, Asanovic and Patterson, Direction-optimizing breadth-first search.
template <class V, class E>
array<std::int32_t> bfs(const graph<V, E>& g, std::size_t root) {
  return detail::bfs(g.shape(), root);
}

}  // namespace armilla
