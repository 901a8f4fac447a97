// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/papers/water/part.hpp"

/// Water, version prefetch, Split-C's way: what a rank needs of another it gets in one piece while it computes its own pairs, and
/// what it computed for the other's molecules it stores in one piece that signals. No rank waits for more than its neighbours.
/// Paper: MRPC, section 5 (water-prefetch).
namespace water {

// parallel
class prefetch_by_pointers {
 public:
  explicit prefetch_by_pointers(am::distributed<part>& parts)
      : mine_(*parts),
        places_(am::all_gather(mine_.shown_places())),
        inboxes_(am::all_gather(am::allocate<triple>(std::size_t(am::ranks() * mine_.own().count())))),
        shown_(am::all_gather(am::create_global<am::counter>())),
        arrived_(am::all_gather(am::create_global<am::counter>())),
        fetched_(std::size_t(mine_.space().molecules)),
        forces_(fetched_.size()) {}
  ~prefetch_by_pointers() {
    am::barrier();
    const auto me = std::size_t(am::rank());
    am::deallocate(inboxes_[me]);
    am::destroy_global(shown_[me]);
    am::destroy_global(arrived_[me]);
  }
  prefetch_by_pointers(const prefetch_by_pointers&) = delete;
  prefetch_by_pointers& operator=(const prefetch_by_pointers&) = delete;

  void step() {
    mine_.mine().predict();
    mine_.show();
    for (const auto& reader : mine_.readers()) shown_[std::size_t(reader.who)].signal();
    mine_.see_own();
    mine_.add_pairs_with(mine_.own(), [] { am::poll(); });
    fetch();
    for (const auto& source : mine_.sources()) mine_.add_pairs_with(source.what, [] { am::poll(); });
    give();
    mine_.take_own_forces();
    take();
    mine_.mine().correct();
  }

 private:
  void fetch() {
    shown_[std::size_t(am::rank())].local()->wait(mine_.sources().size());
    for (const auto& [who, what] : mine_.sources())
      am::get(std::span(&fetched_[std::size_t(what.first)], std::size_t(what.count())),
              places_[std::size_t(who)] + (what.first - mine_.of(who).first));
    am::sync_memory();
    for (const auto& [who, what] : mine_.sources())
      mine_.view().put(what.first, std::span<const triple>(&fetched_[std::size_t(what.first)], std::size_t(what.count())));
  }
  /// The inbox of a rank has room for all of its molecules from each other rank.
  void give() {
    for (const auto& [who, what] : mine_.sources()) {
      mine_.forces_on(what, forces_.data());
      am::store(inboxes_[std::size_t(who)] + am::rank() * mine_.of(who).count(),
                std::span<const triple>(forces_.data(), std::size_t(what.count())), arrived_[std::size_t(who)]);
    }
  }
  void take() {
    arrived_[std::size_t(am::rank())].local()->wait(mine_.readers().size());
    for (const auto& [who, what] : mine_.readers())
      mine_.take_forces(what.first, inboxes_[std::size_t(am::rank())].local() + who * mine_.own().count(), what.count());
  }

  part& mine_;
  std::vector<am::global_ptr<triple>> places_, inboxes_;
  std::vector<am::global_ptr<am::counter>> shown_, arrived_;
  std::vector<triple> fetched_, forces_;
};
// end of parallel

}  // namespace water
