// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/graph.hpp"

namespace em3d {

/// What one rank has of the graph: a run of the nodes of each field with their edges, and the list of the far nodes that it
/// reads. The values of a field lie in an array: first those of the own nodes, behind them copies of the far ones (ghosts) by
/// their number.
class part {
 public:
  part(const shape& s, int rank, int ranks);

  const shape& graph() const noexcept { return shape_; }
  /// Own nodes of a field.
  int count() const noexcept { return count_; }
  const std::vector<edge>& edges(field f) const noexcept { return edges_[f]; }
  /// The far nodes of field f that this rank reads, ascending, each once; the i-th has its ghost at place count() + i.
  const std::vector<int>& ghosts(field f) const noexcept { return ghosts_[f]; }
  /// Own nodes and ghosts.
  std::size_t places(field f) const noexcept { return std::size_t(count_) + ghosts_[f].size(); }

  /// Where this rank has the value of a node: its own, or its ghost.
  int place(field f, int node) const;
  int owner(int node) const noexcept;
  /// The place of a node at its owner.
  int place_at_owner(int node) const noexcept { return node - first_of(owner(node)); }

  /// Gives the own nodes the values of the beginning.
  void begin(field f, double* own) const;
  /// Whether those are the values of `all`, to the last bit.
  bool agrees(field f, const double* own, const values& all) const;

 private:
  int first_of(int rank) const noexcept;

  shape shape_;
  int rank_, ranks_;
  int first_, count_;
  std::vector<edge> edges_[2];
  std::vector<int> ghosts_[2];
};

/// The edges of a part, each neighbour at its place in this rank's own memory.
class near_edges {
 public:
  explicit near_edges(const part& mine);
  /// Subtracts from the own nodes of field f what their neighbours give; `from`: the values and ghosts of the other field.
  void half_step(field f, double* own, const double* from) const {
    subtract_terms({own, std::size_t(count_)}, degree_,
                   [e = edges_[f].data(), from](std::size_t i) { return e[i].weight * from[e[i].from]; });
  }

 private:
  int count_, degree_;
  std::vector<edge> edges_[2];
};

}  // namespace em3d
