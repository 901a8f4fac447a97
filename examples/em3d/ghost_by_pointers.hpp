// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/region.hpp"

/// EM3D, version ghost: each far value is fetched once a half step, all of them overlapping, into a copy beside the own
/// nodes; the sums are then purely local. Paper: MRPC, section 5 (em3d-ghost).
namespace em3d {

/// Split-C's way: split-phase gets.
// parallel
class ghost_by_pointers {
 public:
  explicit ghost_by_pointers(region& mine) : mine_(mine), near_(mine_) {
    for (const field f : {electric, magnetic})
      for (const int node : mine_.ghosts(f)) far_[f].push_back(mine_.at_owner(f, node));
  }
  void half_step(field f) {
    double* copy = mine_.ghost_values(other(f));
    for (const am::global_ptr<double>& far : far_[other(f)]) am::get(*copy++, far);
    am::sync_memory();
    near_.half_step(f, mine_.all(f), mine_.all(other(f)));
    am::barrier();
  }

 private:
  region& mine_;
  near_edges near_;
  std::vector<am::global_ptr<double>> far_[2];
};
// end of parallel

}  // namespace em3d
