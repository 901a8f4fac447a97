// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/am/endpoint/peer_channel.hpp"
#include "armilla/am/handler/handler.hpp"

namespace armilla::detail {

struct endpoint;

/// Backpressure, holding.cpp: nothing more is read from a rank that asks for more than it takes in. `c`: the channel to it.
struct holding {
  endpoint& all;

  /// More than ARMILLA_BACKLOG is queued for it, or for a rank that its messages are passed on to.
  void hold_back(peer_channel& c);
  /// Half of that has left, or the rank is lost. Not as long as the other reason holds.
  void read_on(peer_channel& c);
  /// Makes `c.holds` known: a near rank sees it in its ring, a far one gets a message.
  void tell(peer_channel& c);
  /// Stops reading from a far rank, or reads on. Of two that hold each other back the lower one reads on.
  void follow(const peer_channel& c);
};

}  // namespace armilla::detail
