// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/papers/em3d/ccpp_nodes.hpp"

/// EM3D, version ghost, in CC++: a parfor of RPCs asks for each far value once a half step; then all is near. Paper: MRPC,
/// section 5 (em3d-ghost); figure 1 (prefetch).
namespace em3d::in_ccpp {

// parallel
class ghost {
 public:
  explicit ghost(region& mine) : mine_(mine), near_(mine), nodes_(all_nodes(mine)) {
    for (const field f : {electric, magnetic})
      for (const int node : mine.ghosts(f)) far_[f].push_back({mine.owner(node), mine.place_at_owner(node)});
  }
  void half_step(field f) {
    double* copy = mine_.ghost_values(other(f));
    const std::vector<remote_node>& far = far_[other(f)];
    parfor(std::size_t{0}, far.size(),
           [&](std::size_t i) { copy[i] = nodes_[std::size_t(far[i].rank)]->value(other(f), far[i].place); });
    near_.half_step(f, mine_.all(f), mine_.all(other(f)));
    am::barrier();
  }

 private:
  struct remote_node {
    am::rank_t rank;
    int place;
  };
  region& mine_;
  near_edges near_;
  std::vector<global<nodes*>> nodes_;
  std::vector<remote_node> far_[2];
};
// end of parallel

}  // namespace em3d::in_ccpp
