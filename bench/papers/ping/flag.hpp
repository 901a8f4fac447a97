// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sched.h>

#include <atomic>

#include "bench/papers/ping/one_way_calls.hpp"

namespace pings {

/// The shared variable of the paper's explicit version for threads: a ping, and whether one is there.
struct alignas(64) flagged_ping {
  std::atomic<std::uint64_t> full{0};
  ping value{};
};
inline am::per_rank<flagged_ping> flags;

/// The core is given away now and then, for others need it where ranks outnumber cores.
inline void await_word(const std::atomic<std::uint64_t>& word, std::uint64_t value) {
  for (unsigned looks = 1; word.load(std::memory_order_acquire) != value; ++looks)
    if (looks % 4096 == 0) sched_yield();
}

// parallel
inline void send(flagged_ping& to, const ping& p) {
  await_word(to.full, 0);
  to.value = p;
  to.full.store(1, std::memory_order_release);
}
inline ping receive(flagged_ping& at) {
  await_word(at.full, 1);
  const ping p = at.value;
  at.full.store(0, std::memory_order_release);
  return p;
}

/// Both ranks, by shared memory alone: every ping waits until the one before was taken.
/// Paper: STAPL, section 7.1, the benchmark for Pthreads.
inline void ping_by_flag(flagged_ping& here, flagged_ping& there, bool sends, const game& g) {
  for (std::uint64_t round = 0; round < g.rounds; ++round) {
    if (sends) {
      for (std::uint64_t i = 0; i < g.pings; ++i) send(there, numbered(i));
      receive(here);
      take_pong();
    } else {
      for (std::uint64_t i = 0; i < g.pings; ++i) mine->got.take(receive(here));
      send(there, {});
    }
  }
}
// end of parallel

}  // namespace pings
