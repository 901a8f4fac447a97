// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/container/graph.hpp"

namespace armilla {
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

}  // namespace armilla
