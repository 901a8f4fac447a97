// SPDX-License-Identifier: Apache-2.0
#pragma once
// For tests of this layer: one rank without messages, whose loop runs fibers and sleeps for timers.
#include <time.h>

#include "armilla/base/core/options.hpp"
#include "armilla/fiber/scheduler.hpp"
#include "armilla/stats/start_statistics.hpp"

namespace armilla::detail {

class solo_rank {
 public:
  solo_rank() {
    rank_.settings = &settings_;
    set_current(&rank_);
    start_stats(rank_, nowhere());
    start_fibers(rank_, nowhere());
    rank_.fibers->set_loop({&solo_rank::loop, &solo_rank::detach, &rank_});
  }
  ~solo_rank() {
    stop_fibers(rank_);
    stop_stats(rank_);
    set_current(nullptr);
  }
  scheduler& fibers() noexcept { return *rank_.fibers; }

 private:
  static const launch& nowhere() noexcept {  // neither layer reads it
    alignas(64) static std::byte none[64];
    return reinterpret_cast<const launch&>(none);
  }
  static void loop(void* self) {
    scheduler& all = *static_cast<context*>(self)->fibers;
    for (;;) {
      if (all.run_timers() != 0 && !all.anyone_ready()) {
        const timespec pause{0, 50'000};
        nanosleep(&pause, nullptr);
      }
      all.run_ready();
    }
  }
  static bool detach(void*) { return false; }

  options settings_;
  context rank_;
};

}  // namespace armilla::detail
