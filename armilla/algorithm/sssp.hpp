// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/algorithm/sssp_inline.hpp"

namespace armilla {

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

}  // namespace armilla
