// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <armilla/armilla.hpp>

namespace fences {

namespace am = armilla;

/// What a rank has got and shown. One on each rank, also where ranks are threads.
struct seat {
  long arrived = 0;
  long shown = 0;
};
inline am::per_rank<seat> seats;

inline am::rank_t next_rank() { return (am::rank() + 1) % am::ranks(); }

// parallel
/// Nothing is under way: what polling and counting cost beside a barrier. Paper: STAPL, section 7.2.
inline void idle_fences(long times) {
  for (long i = 0; i < times; ++i) am::fence();
}

/// Every rank sends the next one a one-way call before each fence.
inline void arrive() { ++seats->arrived; }
inline void busy_fences(long times) {
  for (long i = 0; i < times; ++i) {
    am::async<&arrive>(next_rank());
    am::fence();
  }
}

inline void barriers(long times) {
  for (long i = 0; i < times; ++i) am::barrier();
}
// end of parallel

/// Whether each fence has completed the one-way calls before it.
inline bool fences_complete(long times) {
  const long before = seats->arrived;
  am::barrier();  // so that no one-way call of another's first round counts before
  bool right = true;
  for (long i = 1; i <= times; ++i) {
    am::async<&arrive>(next_rank());
    am::fence();
    right = right && seats->arrived == before + i;
    am::barrier();  // so that no one-way call of the next round is there when we look
  }
  return right;
}

/// Whether each barrier has waited for all: what every rank showed before it, all see behind it.
template <class Meet>
bool meetings_wait(long times, Meet&& meet) {
  bool right = true;
  for (long i = 1; i <= times; ++i) {
    seats->shown = i;
    meet();
    for (am::rank_t r = 0; r < am::ranks(); ++r) right = right && long(seats.on(r)->*&seat::shown) == i;
    meet();
  }
  return right;
}

}  // namespace fences
