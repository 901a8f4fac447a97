// SPDX-License-Identifier: Apache-2.0
#pragma once
// Litmus tests: small programs whose outcomes an order of memory allows or forbids, run many times with their ranks in step.
#include <sched.h>

#include <armilla/base/core/options.hpp>
#include <armilla/fabric/host_map.hpp>

#include "tests/rank_test.hpp"

namespace litmus {
namespace am = armilla;

inline constexpr int rounds = 300;
inline constexpr int spins = 1000;

/// Whether `*p` is a load or store of this rank: then other ranks make no progress for it, and none is needed.
inline bool mapped() { return !am::detail::current->settings->access_by_message && am::detail::current->host->beyond == nullptr; }

/// Waits for `done` without taking in messages, so that only the order of memory is tested.
template <class F>
void spin_until(F&& done) {
  for (int i = 0; !done(); ++i)
    if (i >= spins || am::ranks() > 2) sched_yield();
}

/// Words of a test, one set on each rank, a cache line apart.
struct words {
  alignas(64) long x = 0;
  alignas(64) long y = 0;
  alignas(64) long flag = 0;
};

template <long words::* M>
am::global_ptr<long> word_on(const am::per_rank<words>& all, am::rank_t r) {
  return &(all.on(r)->*M);
}

}  // namespace litmus
