// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/papers/em3d/ccpp_nodes.hpp"
#include "examples/em3d/peers.hpp"

/// EM3D, version base, in CC++: every value is an RPC to the processor object that has it, the own ones as well. Paper: MRPC,
/// section 5 (em3d-base); section 2 ("all global pointer dereferences into RPCs").
namespace em3d::in_ccpp {

// parallel
class base {
 public:
  explicit base(region& mine) : mine_(mine), nodes_(all_nodes(mine)) {
    for (const field f : {electric, magnetic}) edges_[f] = remote_edges_of(mine, f);
  }
  void half_step(field f) {
    const remote_edge* e = edges_[f].data();
    for (double& value : mine_.own(f))
      for (int d = 0; d < mine_.graph().degree; d++, e++)
        value -= e->weight * nodes_[std::size_t(e->rank)]->value(other(f), e->place);
    am::barrier();
  }

 private:
  region& mine_;
  std::vector<global<nodes*>> nodes_;
  std::vector<remote_edge> edges_[2];
};
// end of parallel

}  // namespace em3d::in_ccpp
