// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include "armilla/algorithm/graph/minimum_spanning_forest_inline.hpp"
#include "armilla/algorithm/graph/sssp_inline.hpp"
#include "armilla/graph.hpp"

/// Algorithms over whole graphs (armilla/graph.hpp), called by all members of a graph's team: searches and shortest paths,
/// components and spanning forests, communities, and numbers that say how much a vertex counts.
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
namespace detail {
array<std::int64_t> dfs(const graph_shape& g, std::size_t root);
}

/// Depth-first search from `root`, along each row in its order: the how-manieth vertex each one is that it enters, from 0; -1 for
/// those that it does not reach. The array is dealt as the vertices. Called by all members.
///
/// One rank searches at a time, by nature: that of the root begins. It goes on in the rows that it maps; where the search leads
/// to a vertex that it does not map, a statement tells the rank of that vertex to go on.
/// Errors: usage_error on all for a root that is not there. Cost: a fence; a statement for each edge of the search tree that
/// leads to memory that is not mapped, and one back. Paper: STAPL, section 5.3 (a depth-first search on a distributed graph).
template <class V, class E>
array<std::int64_t> dfs(const graph<V, E>& g, std::size_t root) {
  return detail::dfs(g.shape(), root);
}

/// How `sssp` goes on.
struct sssp_options {
  double delta = 0;  ///< paths whose lengths differ by less are extended together; 0: the greatest weight by the mean degree
};

/// The length of a path whose edges have weights of type E: E itself, or 64 bits for integers.
template <class E>
using path_length = detail::path_length<E>;

/// The length of a path to a vertex to which none leads: infinity, or the greatest integer.
template <class E>
inline constexpr path_length<E> no_path = detail::no_path<E>;

/// Shortest paths from `root` over edges with weights: the length of the path to each vertex, `no_path<E>` for those that none
/// leads to, as an array that is dealt as the vertices. Called by all members.
///
/// Delta-stepping: all vertices at a distance below the next multiple of delta are done in any order, by each rank for its own.
/// Errors: usage_error on all for a root that is not there, a weight below 0, that is no number or not finite, a
/// delta that is not above 0.
/// Cost: two meetings a step and exchange; a rank tells a vertex of another one each time that it finds a shorter path; a length
/// for each vertex of the graph on each rank.
/// Paper: Meyer and Sanders, Delta-stepping: a parallelizable shortest path algorithm.
template <class V, class E>
array<path_length<E>> sssp(const graph<V, E>& g, std::size_t root, const sssp_options& how = {}) {
  static_assert(std::is_arithmetic_v<E>, "armilla: sssp needs weights, graph<void, double>; for edges without any take bfs");
  return detail::sssp<E>(g.shape(), root, how.delta);
}
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

/// The lightest edges that join what the edges of an undirected graph join: this rank's share of them, the edges whose `from`,
/// the smaller end, is one of its vertices, in order. Of several such forests it is the one whose edges come first by weight,
/// `from` and `to`, on any number of ranks. Called by all members.
///
/// Each rank joins what edges inside it surely join: those that are lighter than all that lead from there to other ranks. All
/// learn of it; then each makes the forest of the edges that it has left, and the ranks join theirs in pairs.
/// Errors: usage_error on all for a directed graph, remote_error on all for a weight that is no number. Cost: a gathering of 4
/// bytes a vertex; an exchange for each doubling of the ranks, in which one of two sends its forest, and one of the whole. Paper:
/// Kruskal, On the shortest spanning subtree of a graph; for the edges that are sure, Sanders and Schimek, Engineering massively
/// parallel MST algorithms.
template <class V, class E>
std::vector<weighted_edge<E>> minimum_spanning_forest(const graph<V, E>& g) {
  static_assert(std::is_arithmetic_v<E>, "armilla: minimum_spanning_forest needs weights, graph<void, double>");
  return detail::minimum_spanning_forest<E>(g.shape());
}
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
