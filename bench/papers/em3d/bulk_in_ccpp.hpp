// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/papers/em3d/ccpp_nodes.hpp"
#include "examples/em3d/parcels.hpp"

/// EM3D, version bulk, in CC++: an RPC gives each reader all that it wants, as an array. Paper: MRPC, section 5 (em3d-bulk).
namespace em3d::in_ccpp {

// parallel
class bulk {
 public:
  explicit bulk(region& mine) : mine_(mine), near_(mine), parcels_(mine), nodes_(all_nodes(mine)) {}
  void half_step(field f) {
    parfor(parcels_.of(other(f)), [&](parcel& p) {
      p.pack(mine_.all(other(f)));
      nodes_[std::size_t(p.to)]->take(other(f), p.place, p.packed);
    });
    am::barrier();
    near_.half_step(f, mine_.all(f), mine_.all(other(f)));
  }

 private:
  region& mine_;
  near_edges near_;
  parcels parcels_;
  std::vector<global<nodes*>> nodes_;
};
// end of parallel

}  // namespace em3d::in_ccpp
