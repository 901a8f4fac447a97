// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/container/graph.hpp"

namespace armilla {
namespace detail {
array<vertex_id> label_propagation(const graph_shape& g, int rounds);
}

/// Communities: each vertex begins with its own number as its label, and takes, round by round and all at once, the label that
/// most of its neighbours have; of several the smallest. It ends after `rounds`, or where no label changes. In a directed graph
/// neighbours are both those to which edges lead and those from which they come. The array is dealt as the vertices. Called by
/// all members.
///
/// Errors: usage_error on all if the graph has no rows of the edges that lead to a vertex (undirected or `in_edges`). Cost: a
/// meeting a round; the labels of ranks that are not mapped are fetched in bulk each round. Memory: 4 bytes for each vertex of
/// the graph on each rank, if some vertex has over 8 neighbours. Paper: Raghavan, Albert and Kumara, Near linear time algorithm
/// to detect community structures; in rounds, as LDBC Graphalytics.
template <class V, class E>
array<vertex_id> label_propagation(const graph<V, E>& g, int rounds = 10) {
  return detail::label_propagation(g.shape(), rounds);
}

}  // namespace armilla
