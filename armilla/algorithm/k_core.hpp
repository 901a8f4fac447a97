// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/container/graph.hpp"

namespace armilla {
namespace detail {
array<std::uint32_t> k_core(const graph_shape& g);
}

/// The core number of each vertex of an undirected graph: the greatest k for which it belongs to a part of the graph in which
/// each vertex has k edges or more. Loops count for nothing; of edges that stand several times each counts. The array is dealt as
/// the vertices. Called by all members.
///
/// Vertices with few edges left are taken away, round by round, each by its rank.
/// Errors: usage_error on all for a directed graph. Cost: two meetings a round, and an exchange of the other ranks' vertices that
/// lose edges; each edge is told of once at most.
/// Paper: Matula and Beck, Smallest-last ordering and clustering and graph coloring algorithms.
template <class V, class E>
array<std::uint32_t> k_core(const graph<V, E>& g) {
  return detail::k_core(g.shape());
}

}  // namespace armilla
