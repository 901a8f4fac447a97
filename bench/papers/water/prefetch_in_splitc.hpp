// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <vector>

#include <armilla/dialect/splitc.hpp>

#include "bench/papers/water/part.hpp"

/// Water, version prefetch, in Split-C's words: bulk gets fetch what is needed of another processor while the own pairs are
/// computed, and bulk stores give back what was computed for its molecules. Paper: MRPC, section 5 (water-prefetch).
namespace water::in_splitc {
using namespace armilla::splitc;
using armilla::splitc::poll;
using armilla::splitc::sync;

// parallel
class prefetch_version {
 public:
  explicit prefetch_version(am::distributed<part>& parts)
      : mine_(*parts),
        room_((mine_.space().molecules + PROCS - 1) / PROCS),
        places_(PROCS, room_),
        pulls_(PROCS, PROCS * room_),
        fetched_(std::size_t(mine_.space().molecules)),
        forces_(fetched_.size()) {}

  void step() {
    mine_.mine().predict();
    std::ranges::copy(mine_.mine().places(), tolocal(places_[MYPROC]));
    barrier();
    for (const auto& [who, what] : mine_.sources())
      bulk_get(&fetched_[std::size_t(what.first)], &places_[who][what.first - mine_.of(who).first], bytes(what));
    mine_.see_own();
    mine_.add_pairs_with(mine_.own(), [] { poll(); });
    sync();
    for (const auto& [who, what] : mine_.sources()) {
      mine_.view().put(what.first, std::span<const triple>(&fetched_[std::size_t(what.first)], std::size_t(what.count())));
      mine_.add_pairs_with(what, [] { poll(); });
    }
    for (const auto& [who, what] : mine_.sources()) {
      mine_.forces_on(what, forces_.data());
      bulk_store(&pulls_[who][MYPROC * room_], forces_.data(), bytes(what));
    }
    mine_.take_own_forces();
    all_store_sync();
    for (const auto& [who, what] : mine_.readers())
      mine_.take_forces(what.first, tolocal(pulls_[MYPROC]) + who * room_, what.count());
    mine_.mine().correct();
  }

 private:
  static std::size_t bytes(const range& what) { return std::size_t(what.count()) * sizeof(triple); }

  part& mine_;
  int room_;                                   // for the molecules of a processor
  spread_array<triple, 1, 1> places_, pulls_;  // pulls_: a room for each other processor
  std::vector<triple> fetched_, forces_;
};
// end of parallel

}  // namespace water::in_splitc
