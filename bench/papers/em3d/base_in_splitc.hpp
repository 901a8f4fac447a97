// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <armilla/dialect/splitc.hpp>  // last: it has macros

#include "examples/em3d/region.hpp"

/// EM3D, version base, in Split-C: each edge holds a global pointer, through which every value is read as often as it is needed,
/// the processor's own ones as well. Paper: MRPC, section 5 (em3d-base).
namespace em3d::in_splitc {

using namespace armilla::splitc;

// parallel
class base {
 public:
  explicit base(region& mine) : mine_(mine) {
    for (const field f : {electric, magnetic})
      for (const edge& e : mine.edges(f)) edges_[f].push_back({mine.at_owner(other(f), e.from), e.weight});
  }
  void half_step(field f) {
    const remote_edge* e = edges_[f].data();
    for (double& value : mine_.own(f))
      for (int d = 0; d < mine_.graph().degree; d++, e++) value -= e->weight * *e->from;
    barrier();
  }

 private:
  struct remote_edge {
    global<double*> from;
    double weight;
  };
  region& mine_;
  std::vector<remote_edge> edges_[2];
};
// end of parallel

}  // namespace em3d::in_splitc
