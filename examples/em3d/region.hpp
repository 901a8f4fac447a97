// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include <armilla/armilla.hpp>

#include "examples/em3d/graph.hpp"

namespace em3d {

namespace am = armilla;

/// One rank's part of the graph: a run of the nodes of each field, and room for copies of the far nodes it needs (ghosts).
/// The values of a field lie in one piece of the rank's segment: first the own nodes, behind them the ghosts by their number.
///
/// It is the part of a distributed object, so that other ranks can call its methods. All ranks make theirs together.
class region {
 public:
  explicit region(const shape& s);
  ~region();
  region(const region&) = delete;
  region& operator=(const region&) = delete;

  /// Back to the values of the beginning.
  void reset();
  /// Whether the own values are those of `all`, to the last bit.
  bool agrees(const values& all) const;

  // ---- what other ranks call ----

  /// The value at a place, as other ranks ask for it.
  double value(field f, int place) const { return values_[f][place]; }
  /// Takes in values that were sent in bulk, to lie from `place` on.
  void take(field f, int place, const am::view<double>& sent);

  // ---- what the versions work with ----

  const shape& graph() const noexcept { return shape_; }
  const std::vector<edge>& edges(field f) const noexcept { return edges_[f]; }
  std::span<double> own(field f) noexcept { return {values_[f], std::size_t(count_)}; }
  /// Own values and ghosts.
  double* all(field f) noexcept { return values_[f]; }
  /// The far nodes of field f that this rank reads, ascending, each once; the i-th has its ghost at place own + i.
  const std::vector<int>& ghosts(field f) const noexcept { return ghosts_[f]; }
  /// Where this rank has the value of a node: its own, or its ghost.
  int place(field f, int node) const;

  am::rank_t owner(int node) const noexcept;
  /// The place of a node at its owner.
  int place_at_owner(int node) const noexcept { return node - first_of(owner(node)); }
  am::global_ptr<double> at(field f, am::rank_t rank, int place) const { return parts_[f][std::size_t(rank)] + place; }
  am::global_ptr<double> at_owner(field f, int node) const { return at(f, owner(node), place_at_owner(node)); }

  /// How often `take` was called for a field, less what has been waited for.
  long taken[2] = {};

 private:
  int first_of(am::rank_t r) const noexcept;

  shape shape_;
  int first_, count_;
  std::vector<edge> edges_[2];
  std::vector<int> ghosts_[2];
  double* values_[2];
  std::vector<am::global_ptr<double>> parts_[2];  ///< the values of a field on each rank
};

}  // namespace em3d
