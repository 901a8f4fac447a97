// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/parcels.hpp"
#include "examples/em3d/peers.hpp"

/// EM3D, version bulk: an owner of values sends each reader all that it wants, in one piece. No barrier is needed: a rank goes
/// on when all that it exchanges values with have sent. Paper: MRPC, section 5 (em3d-bulk).
namespace em3d {

/// CC++'s way: a method of the reader takes the values in, and reads them where they arrived.
// parallel
template <class Peers = peers>
class bulk_by_calls {
 public:
  explicit bulk_by_calls(const Peers& p) : peers_(p), mine_(p.mine()), near_(mine_), parcels_(mine_) {}
  void half_step(field f) {
    exchange(other(f));
    near_.half_step(f, mine_.all(f), mine_.all(other(f)));
  }

 private:
  void exchange(field f) {
    for (parcel& p : parcels_.of(f)) {
      p.pack(mine_.all(f));
      peers_.take(p.to, f, p.place, p.packed);
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
