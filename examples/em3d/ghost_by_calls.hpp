// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/parcels.hpp"
#include "examples/em3d/peers.hpp"

/// EM3D, version ghost: each far value crosses once a half step, one by one, into a copy beside the own nodes; the sums are then
/// purely local. Paper: MRPC, section 5 (em3d-ghost).
namespace em3d {

/// By one-way calls: no rank asks, the owner of a value sets it at each rank that reads it, one call a value, and says at last
/// that all have been set; calls of one rank to another run in their order. As in bulk, no barrier is needed.
// parallel
template <class Peers = peers>
class ghost_by_calls {
 public:
  explicit ghost_by_calls(const Peers& p) : peers_(p), mine_(p.mine()), near_(mine_), parcels_(mine_) {}
  void half_step(field f) {
    exchange(other(f));
    near_.half_step(f, mine_.all(f), mine_.all(other(f)));
  }

 private:
  void exchange(field f) {
    const double* values = mine_.all(f);
    for (const parcel& p : parcels_.of(f)) {
      int place = p.place;
      for (const int wanted : p.wanted) peers_.set(p.to, f, place++, values[wanted]);
      peers_.all_set(p.to, f);
    }
    am::flush();
    const long expected = long(parcels_.of(f).size());
    while (mine_.taken[f] < expected) am::wait_for_message();
    mine_.taken[f] -= expected;
  }

  Peers peers_;
  region& mine_;
  near_edges near_;
  parcels parcels_;
};
// end of parallel

}  // namespace em3d
