// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "examples/em3d/parcels.hpp"

/// EM3D, version bulk: an owner of values sends each reader all that it wants, in one piece. No barrier is needed: a rank goes
/// on when all that it exchanges values with have sent. Paper: MRPC, section 5 (em3d-bulk).
namespace em3d {

/// Split-C's way: bulk stores that signal a counter behind the data.
// parallel
class bulk_by_pointers {
 public:
  explicit bulk_by_pointers(region& mine) : mine_(mine), near_(mine_), parcels_(mine_) {
    for (const field f : {electric, magnetic}) {
      const auto counter = am::create_global<am::counter>();
      arrived_[f] = counter.local();
      counters_[f] = am::all_gather(counter);
    }
  }
  ~bulk_by_pointers() {
    for (const field f : {electric, magnetic}) am::destroy_global(counters_[f][std::size_t(am::rank())]);
  }
  bulk_by_pointers(const bulk_by_pointers&) = delete;
  bulk_by_pointers& operator=(const bulk_by_pointers&) = delete;

  void half_step(field f) {
    exchange(other(f));
    near_.half_step(f, mine_.all(f), mine_.all(other(f)));
  }

 private:
  void exchange(field f) {
    for (parcel& p : parcels_.of(f)) {
      const am::global_ptr<am::counter>& there = counters_[f][std::size_t(p.to)];
      p.pack(mine_.all(f));
      am::store(mine_.at(f, p.to, p.place), p.packed, there);
    }
    arrived_[f]->wait(parcels_.of(f).size());
  }

  region& mine_;
  near_edges near_;
  parcels parcels_;
  am::counter* arrived_[2];
  std::vector<am::global_ptr<am::counter>> counters_[2];
};
// end of parallel

}  // namespace em3d
