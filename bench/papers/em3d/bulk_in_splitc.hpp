// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <armilla/dialect/splitc.hpp>  // last: it has macros

#include "examples/em3d/parcels.hpp"

/// EM3D, version bulk, in Split-C: an owner of values stores at each reader all that it wants, in one piece. Paper: MRPC, section
/// 5 (em3d-bulk).
namespace em3d::in_splitc {

using namespace armilla::splitc;

// parallel
class bulk {
 public:
  explicit bulk(region& mine) : mine_(mine), near_(mine), parcels_(mine) {}
  void half_step(field f) {
    for (parcel& p : parcels_.of(other(f))) {
      p.pack(mine_.all(other(f)));
      const global<double*> ghosts = mine_.at(other(f), p.to, p.place);
      bulk_store(ghosts, p.packed.data(), p.packed.size() * sizeof(double));
    }
    all_store_sync();  // no barrier: the ghosts of this field are written again behind the next one
    near_.half_step(f, mine_.all(f), mine_.all(other(f)));
  }

 private:
  region& mine_;
  near_edges near_;
  parcels parcels_;
};
// end of parallel

}  // namespace em3d::in_splitc
