// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/container/graph.hpp"

namespace armilla {
namespace detail {
std::uint64_t triangles(const graph_shape& g);
}

/// How many triangles an undirected graph has: sets of three vertices with an edge between each two. Edges that stand several
/// times, and loops, count for nothing more. Called by all members; all get the answer.
///
/// Of each vertex a row is made of its neighbours with more edges, which is short; a rank marks those of each of its vertices in
/// turn, and looks in their rows for marked ones, where they lie. Rows that are not mapped are fetched, those of one member at a
/// time. Where no vertex has many neighbours the rows of the graph are intersected instead. Errors: usage_error on all for a
/// directed graph; limit_error on all where the rows do not fit. Cost: a reduction, a gathering, a meeting and the agreement; 8
/// bytes a vertex and 2 for each end of an edge while it runs; over networks each member's rows to each other one.
template <class V, class E>
std::uint64_t triangles(const graph<V, E>& g) {
  return detail::triangles(g.shape());
}

}  // namespace armilla
