// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include "examples/em3d/ghost.hpp"

/// EM3D, version bulk: who has values sends each reader all that it wants, in one piece. Nobody needs a barrier: a rank goes
/// on when everybody it exchanges values with has sent. Paper: MRPC, section 5 (em3d-bulk).
namespace em3d {

/// What goes to one rank in a half step.
struct parcel {
  am::rank_t to;
  int place = 0;            ///< where the reader has its ghosts of these nodes
  std::vector<int> wanted;  ///< the places of the nodes here
  std::vector<double> packed;

  void pack(const double* values) {
    for (std::size_t i = 0; i < wanted.size(); ++i) packed[i] = values[wanted[i]];
  }
};

/// For each field the parcels to those ranks that read this one's nodes. A rank whose nodes this one reads gets one, too, even
/// an empty one: it says that this rank has used what it was sent and that its ghosts may be written again.
class parcels {
 public:
  explicit parcels(const region& mine);
  std::vector<parcel>& of(field f) noexcept { return of_[f]; }

 private:
  std::vector<parcel> of_[2];
};

/// Split-C's way: bulk stores that signal a counter behind the data.
class bulk_by_pointers {
 public:
  explicit bulk_by_pointers(am::distributed<region>& d) : mine_(*d), near_(mine_), parcels_(mine_) {
    for (const field f : {electric, magnetic}) {
      const auto counter = am::make_global<am::counter>();
      arrived_[f] = counter.local();
      counters_[f] = am::gather_all(counter);
    }
  }
  ~bulk_by_pointers() {
    for (const field f : {electric, magnetic}) am::destroy_global(counters_[f][std::size_t(am::rank())]);
  }
  bulk_by_pointers(const bulk_by_pointers&) = delete;
  bulk_by_pointers& operator=(const bulk_by_pointers&) = delete;

  void half_step(field f) {
    exchange(other(f));
    near_.half_step(mine_, f);
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

/// CC++'s way: a method of the reader takes the values in, and reads them where they arrived.
class bulk_by_calls {
 public:
  explicit bulk_by_calls(am::distributed<region>& d) : parts_(d), mine_(*d), near_(mine_), parcels_(mine_) {}
  void half_step(field f) {
    exchange(other(f));
    near_.half_step(mine_, f);
  }

 private:
  void exchange(field f) {
    for (parcel& p : parcels_.of(f)) {
      p.pack(mine_.all(f));
      am::async<&region::take>(parts_.on(p.to), f, p.place, am::view<double>(p.packed));
    }
    am::flush();
    const long expected = long(parcels_.of(f).size());
    while (mine_.taken[f] < expected) am::wait();
    mine_.taken[f] -= expected;
  }

  am::distributed<region>& parts_;
  region& mine_;
  near_edges near_;
  parcels parcels_;
};

}  // namespace em3d
