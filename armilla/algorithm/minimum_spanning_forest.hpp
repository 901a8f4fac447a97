// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/algorithm/minimum_spanning_forest_inline.hpp"

namespace armilla {

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

}  // namespace armilla
