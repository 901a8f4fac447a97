// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <armilla/dialect/splitc.hpp>  // last: it has macros

#include "examples/em3d/region.hpp"

/// EM3D, version ghost, in Split-C: split-phase gets of each far value once a half step; then all is near. Paper: MRPC, section 5
/// (em3d-ghost).
namespace em3d::in_splitc {

using namespace armilla::splitc;
using armilla::splitc::sync;

// parallel
class ghost {
 public:
  explicit ghost(region& mine) : mine_(mine), near_(mine) {
    for (const field f : {electric, magnetic})
      for (const int node : mine.ghosts(f)) far_[f].push_back(mine.at_owner(f, node));
  }
  void half_step(field f) {
    double* copy = mine_.ghost_values(other(f));
    for (const global<double*>& far : far_[other(f)]) *copy++ <<= *far;
    sync();
    near_.half_step(f, mine_.all(f), mine_.all(other(f)));
    barrier();
  }

 private:
  region& mine_;
  near_edges near_;
  std::vector<global<double*>> far_[2];
};
// end of parallel

}  // namespace em3d::in_splitc
