// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include "armilla/algorithm/graph/minimum_spanning_forest_inline.hpp"
#include "armilla/algorithm/graph/sssp_inline.hpp"
#include "armilla/graph.hpp"

/// Algorithms over whole graphs (armilla/graph.hpp): searches and shortest paths, components and spanning forests, communities,
/// and centralities.
///
///     const am::array<std::int32_t> level = am::bfs(g, 0);
///     const am::array<am::vertex_id> component = am::components(g);
///     const am::array<double> rank = am::pagerank(g, {.tolerance = 1e-8});
///
/// All members of the graph's team call them, in the same order. Results are arrays with the distribution of the vertices,
/// `like(g)`, unless an algorithm says otherwise. Each rank processes its own vertices' rows. Remote data are read where they are
/// mapped; otherwise they are fetched or sent in bulk.
namespace armilla {
namespace detail {
array<std::int32_t> bfs(const graph_shape& g, std::size_t root);
}

/// Returns the breadth-first level of each vertex: how many edges lead from `root` to it, -1 for vertices that `root` does not
/// reach.
///
/// The search is direction-optimizing: when it reaches much of the graph at once, vertices search for a reached neighbor, if the
/// graph stores incoming edges (undirected or `in_edges`). Throws `usage_error` on all members if `root` does not exist.
///
/// Cost: two collectives for each level. In all, each rank notifies each vertex of another rank once at most, or sends a bit for
/// each vertex and level. A bit for each vertex of the graph on each rank.
///
/// Paper: Beamer, Asanovic and Patterson, Direction-optimizing breadth-first search.
template <class V, class E>
array<std::int32_t> bfs(const graph<V, E>& g, std::size_t root) {
  return detail::bfs(g.shape(), root);
}
namespace detail {
array<std::int64_t> dfs(const graph_shape& g, std::size_t root);
}

/// Returns the position of each vertex in a depth-first search from `root`, from 0; -1 for vertices that `root` does not reach.
/// The search follows each row in its order.
///
/// By its nature one rank searches at a time, first that of the root. It continues in the rows that it maps; if the search leads
/// to a vertex that it does not map, it sends a one-way call to that vertex's rank. Throws `usage_error` on all members if `root`
/// does not exist.
///
/// Cost: a fence; a one-way call for each edge of the search tree that leads to memory that is not mapped, and one back.
///
/// Paper: STAPL, section 5.3 (a depth-first search on a distributed graph).
template <class V, class E>
array<std::int64_t> dfs(const graph<V, E>& g, std::size_t root) {
  return detail::dfs(g.shape(), root);
}

/// Options of `sssp`.
struct sssp_options {
  /// Paths whose lengths differ by less are extended together. 0: the greatest weight divided by the mean degree.
  double delta = 0;
};

/// The type of the length of a path whose edges have weights of type `E`: `E` itself, or 64 bits for integers.
template <class E>
using path_length = detail::path_length<E>;

/// The length that means that no path exists: infinity, or the greatest integer.
template <class E>
inline constexpr path_length<E> no_path = detail::no_path<E>;

/// Returns the length of the shortest path from `root` to each vertex, over edges with weights; `no_path<E>` if there is none.
///
/// This is delta-stepping: all vertices at a distance below the next multiple of delta are processed in any order, by each rank
/// for its own. Throws `usage_error` on all members if `root` does not exist, for a weight below 0, infinite or not a number, and
/// for a delta that is not above 0.
///
/// Cost: two collectives for each step and exchange. A rank notifies a vertex of another rank each time that it finds a shorter
/// path. A length for each vertex of the graph on each rank.
///
/// Paper: Meyer and Sanders, Delta-stepping: a parallelizable shortest path algorithm.
template <class V, class E>
array<path_length<E>> sssp(const graph<V, E>& g, std::size_t root, const sssp_options& how = {}) {
  static_assert(std::is_arithmetic_v<E>, "armilla: sssp needs weights, graph<void, double>; for edges without any take bfs");
  return detail::sssp<E>(g.shape(), root, how.delta);
}
namespace detail {
array<vertex_id> components_of(const graph_shape& g);
}

/// Returns the connected component of each vertex: the smallest vertex that a path connects with it, whatever the directions of
/// the edges.
///
/// Each rank joins the trees of its own edges; then the ranks join theirs in pairs. In an undirected graph the first edges of
/// each vertex are processed first, and vertices that are then in the largest component are skipped.
///
/// Cost: a number for each vertex of the graph on each rank. Four collectives, and two for each doubling of the ranks, in which
/// one of two reads the numbers of the other.
///
/// Paper: Sutton, Ben-Nun and Barak, Optimizing parallel graph connectivity computation via subgraph sampling (Afforest).
template <class V, class E>
array<vertex_id> components(const graph<V, E>& g) {
  return detail::components_of(g.shape());
}

/// Returns this rank's share of the minimum spanning forest of an undirected graph: the edges whose `from`, the smaller end, is
/// one of its vertices, in order.
///
/// Of several such forests it is the one whose edges come first by weight, `from` and `to`, on any number of ranks. Throws
/// `usage_error` on all members for a directed graph, `remote_error` on all for a weight that is not a number.
///
/// Each rank joins what edges inside it surely join: those that are lighter than all that lead from there to other ranks. All
/// ranks learn of it. Then each makes the forest of its remaining edges, and the ranks join theirs in pairs.
///
/// Cost: a gathering of 4 bytes for each vertex; an exchange for each doubling of the ranks, in which one of two sends its
/// forest; and one of the whole forest.
///
/// Paper: Kruskal, On the shortest spanning subtree of a graph; for the edges that are sure, Sanders and Schimek, Engineering
/// massively parallel MST algorithms.
template <class V, class E>
std::vector<weighted_edge<E>> minimum_spanning_forest(const graph<V, E>& g) {
  static_assert(std::is_arithmetic_v<E>, "armilla: minimum_spanning_forest needs weights, graph<void, double>");
  return detail::minimum_spanning_forest<E>(g.shape());
}
namespace detail {
array<std::uint32_t> k_core(const graph_shape& g);
}

/// Returns the core number of each vertex of an undirected graph: the greatest k for which it belongs to a subgraph in which each
/// vertex has at least k edges.
///
/// Loops do not count; parallel edges each count. Vertices with few remaining edges are removed, round by round, each by its
/// rank. Throws `usage_error` on all members for a directed graph.
///
/// Cost: two collectives for each round, and an exchange of the vertices of other ranks that lose edges; each edge is sent once
/// at most.
///
/// Paper: Matula and Beck, Smallest-last ordering and clustering and graph coloring algorithms.
template <class V, class E>
array<std::uint32_t> k_core(const graph<V, E>& g) {
  return detail::k_core(g.shape());
}
namespace detail {
array<vertex_id> label_propagation(const graph_shape& g, int rounds);
}

/// Returns the community of each vertex, found by label propagation.
///
/// Each vertex begins with its own number as its label. In each round all vertices at once take the label that most of their
/// neighbors have; of several, the smallest. It ends after `rounds`, or when no label changes. In a directed graph, neighbors are
/// the targets of outgoing and the sources of incoming edges. Throws `usage_error` on all members if the graph does not store
/// incoming edges (undirected or `in_edges`).
///
/// Cost: a collective for each round; labels of ranks that are not mapped are fetched in bulk each round. 4 bytes for each vertex
/// of the graph on each rank, if some vertex has more than 8 neighbors.
///
/// Paper: Raghavan, Albert and Kumara, Near linear time algorithm to detect community structures; in rounds, as LDBC
/// Graphalytics.
template <class V, class E>
array<vertex_id> label_propagation(const graph<V, E>& g, int rounds = 10) {
  return detail::label_propagation(g.shape(), rounds);
}

/// Options of `pagerank`.
struct pagerank_options {
  double damping = 0.85;    ///< the share of a vertex's rank that goes to its neighbors
  double tolerance = 1e-6;  ///< it ends when all ranks together change by less than this in a round; 0: after `rounds`
  int rounds = 100;         ///< how many rounds at most
};

namespace detail {
array<double> pagerank(const graph_shape& g, const pagerank_options& how);
}

/// Returns the PageRank of each vertex; their sum is 1. A vertex without outgoing edges gives its rank to all vertices evenly.
///
/// Each rank adds what its own vertices get, in the order of their rows, and reads the others' shares where they are. Throws
/// `usage_error` on all members if the graph does not store incoming edges (undirected or `in_edges`).
///
/// Cost: a collective for each round; shares of ranks that are not mapped are fetched in bulk each round.
template <class V, class E>
array<double> pagerank(const graph<V, E>& g, const pagerank_options& how = {}) {
  return detail::pagerank(g.shape(), how);
}
namespace detail {
array<double> betweenness(const graph_shape& g, std::span<const vertex_id> sources);
}

/// Returns the betweenness centrality of each vertex: over the shortest paths from each of `sources` to all vertices, the sum of
/// the fractions of those that lead through it.
///
/// All members give the same sources. With all vertices as sources, an undirected graph counts each pair twice. Throws
/// `usage_error` on all members for a source that does not exist, and if the graph does not store incoming edges (undirected or
/// `in_edges`).
///
/// Cost: for each source a `bfs`, and two collectives for each of its levels. What other ranks know of their vertices is read
/// where it is mapped, and otherwise fetched in bulk for each level.
///
/// Paper: Brandes, A faster algorithm for betweenness centrality.
template <class V, class E>
array<double> betweenness(const graph<V, E>& g, std::span<const vertex_id> sources) {
  return detail::betweenness(g.shape(), sources);
}
namespace detail {
std::uint64_t triangles(const graph_shape& g);
}

/// Returns the number of triangles of an undirected graph: sets of three vertices with an edge between each two. Parallel edges
/// and loops add none. All members get the result.
///
/// For each vertex a short row is made of its neighbors with more edges. A rank marks those of each of its vertices in turn, and
/// searches for marked ones in their rows in place. Rows that are not mapped are fetched, those of one member at a time. If
/// no vertex has many neighbors, the rows of the graph are intersected instead. Throws `usage_error` on all members for a
/// directed graph; `limit_error` on all if the rows do not fit into memory.
///
/// Cost: a reduction, a gathering, a collective and the agreement. 8 bytes for each vertex and 2 for each end of an edge while it
/// runs. Over networks, each member's rows to each other member.
template <class V, class E>
std::uint64_t triangles(const graph<V, E>& g) {
  return detail::triangles(g.shape());
}

}  // namespace armilla
