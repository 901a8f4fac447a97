// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/papers/water/processor.hpp"

/// Water, version prefetch, in CC++'s words: a thread of control for each other processor fetches what is needed of it, and
/// another gives back what was computed for its molecules. Paper: MRPC, section 5 (water-prefetch).
namespace water::in_ccpp {

// parallel
class prefetch_version {
 public:
  explicit prefetch_version(am::distributed<part>& parts) : mine_(*parts), all_(all_processors(mine_)) {}

  void step() {
    mine_.mine().predict();
    mine_.show();
    am::barrier();
    mine_.see_own();
    par([this] { mine_.add_pairs_with(mine_.own(), [] { am::poll(); }); },
        [this] { for_all_sources([this](const global<processor*>& there, const range& what) { fetch(there, what); }); });
    for (const auto& [who, what] : mine_.sources()) mine_.add_pairs_with(what, [] { am::poll(); });
    for_all_sources([this](const global<processor*>& there, const range& what) { give(there, what); });
    mine_.take_own_forces();
    am::barrier();
    mine_.mine().correct();
  }

 private:
  template <class F>
  void for_all_sources(F&& f) {
    const auto& sources = mine_.sources();
    parfor(std::size_t(0), sources.size(), [&](std::size_t i) { f(all_[std::size_t(sources[i].who)], sources[i].what); });
  }
  void fetch(const global<processor*>& there, const range& what) {
    const std::vector<triple> places = there->places_of(what);
    mine_.view().put(what.first, places);
  }
  void give(const global<processor*>& there, const range& what) {
    std::vector<triple> forces(std::size_t(what.count()));
    mine_.forces_on(what, forces.data());
    there->pull_all(what.first, forces);
  }

  part& mine_;
  std::vector<global<processor*>> all_;
};
// end of parallel

}  // namespace water::in_ccpp
