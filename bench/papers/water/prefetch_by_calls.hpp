// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/papers/water/part.hpp"

/// Water, version prefetch, CC++'s way: a call asks another rank for all that this one needs of it, in a body that waits until it
/// is there, and another call gives back what was computed for its molecules. Paper: MRPC, section 5 (water-prefetch).
namespace water {

// parallel
class asked_part : public part {
 public:
  using part::part;

  /// Where molecules are in step `step`.
  std::span<const triple> places_in(int step, const range& what) {
    changed_.wait_unlocked([&] { return shown_in_ >= step; });
    return shown(what);
  }
  void pull(int first, const am::view<triple>& forces) {
    take_forces(first, forces.data(), int(forces.size()));
    ++pulled_;
    changed_.notify_all();
  }

  void show_in(int step) {
    show();
    shown_in_ = step;
    changed_.notify_all();
  }
  /// All others that computed something for this rank have given it.
  void await_pulls() {
    changed_.wait_unlocked([&] { return pulled_ == readers().size(); });
    pulled_ = 0;
  }

 private:
  am::condition_variable changed_;
  int shown_in_ = -1;
  std::size_t pulled_ = 0;
};

class prefetch_by_calls {
 public:
  explicit prefetch_by_calls(am::distributed<asked_part>& parts)
      : parts_(parts),
        mine_(*parts),
        fetched_(am::allocate<triple>(std::size_t(mine_.space().molecules))),
        forces_(std::size_t(mine_.space().molecules)) {}
  ~prefetch_by_calls() { am::deallocate(fetched_); }
  prefetch_by_calls(const prefetch_by_calls&) = delete;
  prefetch_by_calls& operator=(const prefetch_by_calls&) = delete;

  void step() {
    mine_.mine().predict();
    mine_.show_in(step_);
    for (const auto& [who, what] : mine_.sources())
      asked_.push_back(am::call_into<&asked_part::places_in>(
          parts_.on(who), std::span(fetched_.local() + what.first, std::size_t(what.count())), step_, what));
    mine_.see_own();
    mine_.add_pairs_with(mine_.own(), [] { am::poll(); });
    for (am::future<std::span<triple>>& f : asked_) f.get();
    asked_.clear();
    for (const auto& [who, what] : mine_.sources())
      mine_.view().put(what.first, std::span<const triple>(fetched_.local() + what.first, std::size_t(what.count())));
    for (const auto& source : mine_.sources()) mine_.add_pairs_with(source.what, [] { am::poll(); });
    for (const auto& [who, what] : mine_.sources()) {
      mine_.forces_on(what, forces_.data());
      am::async<&asked_part::pull>(parts_.on(who), what.first, am::view<triple>(forces_.data(), std::size_t(what.count())));
    }
    am::flush();
    mine_.take_own_forces();
    mine_.await_pulls();
    mine_.mine().correct();
    ++step_;
  }

 private:
  am::distributed<asked_part>& parts_;
  asked_part& mine_;
  am::global_ptr<triple> fetched_;
  std::vector<triple> forces_;
  std::vector<am::future<std::span<triple>>> asked_;
  int step_ = 0;
};
// end of parallel

}  // namespace water
