// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <armilla/dialect/stapl_rmi.hpp>

#include "bench/papers/ping/one_way_calls.hpp"

/// The pings in STAPL's words: the method is a value. Paper: STAPL, section 7.1.
namespace pings::in_stapl {

// parallel
class player {
 public:
  void take(word a, word b, word c, word d) { mine->got.take({{a, b, c, d}}); }
  void take_pong() { ++mine->pongs; }
  void take_last(word a, word b, word c, word d, int from) {
    take(a, b, c, d);
    stapl::async_rmi(from, this, &player::take_pong);
  }

  void ping_by_async_rmi(int to, const game& g) {
    const word last = g.pings - 1;
    for (std::uint64_t round = 1; round <= g.rounds; ++round) {
      for (std::uint64_t i = 0; i < last; ++i) stapl::async_rmi(to, this, &player::take, i, i + 1, i + 2, i + 3);
      stapl::async_rmi(to, this, &player::take_last, last, last + 1, last + 2, last + 3, stapl::get_node_id());
      while (mine->pongs != round) stapl::rmi_wait();
    }
  }
  void ping_by_sync_rmi(int to, const game& g) {
    const word last = g.pings - 1;
    for (std::uint64_t round = 1; round <= g.rounds; ++round) {
      for (std::uint64_t i = 0; i < last; ++i) stapl::async_rmi(to, this, &player::take, i, i + 1, i + 2, i + 3);
      stapl::sync_rmi(to, this, &player::take, last, last + 1, last + 2, last + 3);
      take_pong();
    }
  }
};
// end of parallel

}  // namespace pings::in_stapl
