// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/region.hpp"

/// EM3D, version base: a rank that needs a value reads it, wherever it lies, as often as it needs it.
/// Paper: MRPC, section 5 (em3d-base).
namespace em3d {

/// Split-C's way: each edge holds a global pointer.
// parallel
class base_by_pointers {
 public:
  explicit base_by_pointers(region& mine) : mine_(mine) {
    for (const field f : {electric, magnetic})
      for (const edge& e : mine_.edges(f)) edges_[f].push_back({mine_.at_owner(other(f), e.from), e.weight});
  }
  void half_step(field f) {
    subtract_terms(mine_.own(f), mine_.graph().degree,
                   [e = edges_[f].data()](std::size_t i) { return e[i].weight * *e[i].from; });
    am::barrier();
  }

 private:
  struct remote_edge {
    am::global_ptr<double> from;
    double weight;
  };
  region& mine_;
  std::vector<remote_edge> edges_[2];
};
// end of parallel

}  // namespace em3d
