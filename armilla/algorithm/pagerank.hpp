// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/container/graph.hpp"

namespace armilla {

/// How `pagerank` goes on, and when it ends.
struct pagerank_options {
  double damping = 0.85;    ///< the share of a rank that goes to the neighbours
  double tolerance = 1e-6;  ///< it ends where the ranks change by less than this in a round, all together; 0: after `rounds`
  int rounds = 100;         ///< at most so many
};

namespace detail {
array<double> pagerank(const graph_shape& g, const pagerank_options& how);
}

/// The PageRank of each vertex; their sum is 1. A vertex that no edge leaves gives its rank to all vertices evenly. The array is
/// dealt as the vertices. Called by all members.
///
/// Each rank adds up what its own vertices get, in the order of their rows, and reads the others' shares where they lie.
/// Errors: usage_error on all if the graph has no rows of the edges that lead to a vertex (undirected or `in_edges`). Cost: a
/// meeting a round; the shares of ranks that are not mapped are fetched in bulk each round.
template <class V, class E>
array<double> pagerank(const graph<V, E>& g, const pagerank_options& how = {}) {
  return detail::pagerank(g.shape(), how);
}

}  // namespace armilla
