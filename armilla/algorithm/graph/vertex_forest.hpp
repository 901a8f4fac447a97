// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>

#include "armilla/graph.hpp"

namespace armilla::detail {

struct trees_that_are_there {};

/// Trees of vertices that belong together, in memory of this rank; the root is the smallest.
class vertex_forest {
 public:
  /// Each vertex is a tree.
  explicit vertex_forest(std::span<vertex_id> above) : above_(above) {
    for (std::size_t v = 0; v < above.size(); ++v) above[v] = vertex_id(v);
  }

  /// Above each vertex is a smaller one of its tree, or the root itself.
  vertex_forest(std::span<vertex_id> above, trees_that_are_there) : above_(above) {}

  vertex_id root_of(vertex_id v) noexcept {
    while (above_[v] != v) v = above_[v] = above_[above_[v]];
    return v;
  }
  /// False: they belonged together.
  bool join(vertex_id a, vertex_id b) noexcept {
    if (above_[a] == above_[b]) return false;
    a = root_of(a), b = root_of(b);
    if (a == b) return false;
    join_roots(a, b);
    return true;
  }
  void join_roots(vertex_id a, vertex_id b) noexcept { above_[std::max(a, b)] = std::min(a, b); }
  bool are_joined(vertex_id a, vertex_id b) noexcept { return above_[a] == above_[b] || root_of(a) == root_of(b); }
  /// Each vertex gets to know its root.
  void flatten() noexcept {
    for (std::size_t v = 0; v < above_.size(); ++v) above_[v] = above_[above_[v]];  // the one above is smaller, and knows
  }

  std::span<vertex_id> above() const noexcept { return above_; }

 private:
  std::span<vertex_id> above_;
};

}  // namespace armilla::detail
