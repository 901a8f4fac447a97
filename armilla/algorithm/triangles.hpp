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
/// Each rank intersects the rows of its vertices with those of their smaller neighbours, which it reads where they lie. Rows that
/// are not mapped are fetched, those of one member at a time.
/// Errors: usage_error on all for a directed graph. Cost: the agreement; over networks each member's rows to each other one.
template <class V, class E>
std::uint64_t triangles(const graph<V, E>& g) {
  return detail::triangles(g.shape());
}

}  // namespace armilla
