// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/am/channel.hpp"
#include "armilla/am/handler.hpp"

namespace armilla::detail {

struct endpoint;

/// Backpressure, hold.cpp: nothing more is read from a rank that asks for more than it takes in. `c`: the channel to it.
struct holding {
  endpoint& all;

  /// More than ARMILLA_BACKLOG is queued for it.
  void hold_back(channel& c);
  /// Half of that has left, or the rank is lost.
  void read_on(channel& c);
  /// Makes `c.holds` known: a near rank sees it in its ring, a far one gets a message.
  void tell(channel& c);
  /// Stops reading from a far rank, or reads on. Of two that hold each other back the lower one reads on.
  void follow(const channel& c);
};

}  // namespace armilla::detail
