// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <armilla/armilla.hpp>

#include "bench/papers/ping/pings.hpp"

namespace pings {

namespace am = armilla;

/// What a rank has got. One on each rank, also where ranks are threads.
struct mailbox {
  tally got;
  std::uint64_t pongs = 0;
};
inline am::per_rank<mailbox> mine;

// parallel
/// What the receiver does with a ping, whose words are the arguments, and the other rank with its pong.
inline void take(word a, word b, word c, word d) { mine->got.take({{a, b, c, d}}); }
inline void take_pong() { ++mine->pongs; }
inline void take_last(word a, word b, word c, word d, am::rank_t from) {
  take(a, b, c, d);
  am::async(from, am::urgent<&take_pong>());
}

/// One-way calls; the last one is answered by a one-way call. Paper: STAPL, section 7.1, `async_rmi`.
inline void ping_by_one_way_calls(am::rank_t to, const game& g) {
  const word last = g.pings - 1;
  for (std::uint64_t round = 1; round <= g.rounds; ++round) {
    for (std::uint64_t i = 0; i < last; ++i) am::async<&take>(to, i, i + 1, i + 2, i + 3);
    am::async<&take_last>(to, last, last + 1, last + 2, last + 3, am::rank());
    while (mine->pongs != round) am::wait_for_message();
  }
}

/// The last ping is a two-way call, its answer the pong. Paper: STAPL, section 7.1, `sync_rmi`.
inline void ping_by_two_way_calls(am::rank_t to, const game& g) {
  const word last = g.pings - 1;
  for (std::uint64_t round = 1; round <= g.rounds; ++round) {
    for (std::uint64_t i = 0; i < last; ++i) am::async<&take>(to, i, i + 1, i + 2, i + 3);
    am::call<&take>(to, last, last + 1, last + 2, last + 3).get();
    take_pong();
  }
}
// end of parallel

}  // namespace pings
