// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/container/graph.hpp"

namespace armilla {
namespace detail {
array<vertex_id> components_of(const graph_shape& g);
}

/// Connected components: for each vertex the smallest one that paths join it with, whichever way their edges lead. The array is
/// dealt as the vertices. Called by all members.
///
/// Each rank joins the trees of its own edges, the ranks join theirs in pairs. Of an undirected graph the first edges of each
/// vertex come first; what then lies in the largest component is passed over. Cost: a number for each vertex of the graph on each
/// rank; four meetings and two for each doubling of the ranks, in which one of two reads the numbers of the other.
/// Paper: Sutton, Ben-Nun and Barak, Optimizing parallel graph connectivity computation via subgraph sampling (Afforest).
template <class V, class E>
array<vertex_id> components(const graph<V, E>& g) {
  return detail::components_of(g.shape());
}

}  // namespace armilla
