// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/am/channel.hpp"
#include "armilla/am/handler.hpp"

namespace armilla::detail {

struct endpoint;

/// How an endpoint reads nothing more from a rank that asks for more than it takes in: hold.cpp. `c`: the channel to that rank.
struct holding {
  endpoint& all;

  /// More than ARMILLA_BACKLOG is queued for it.
  void hold_back(channel& c);
  /// Half of that has left, or the rank is lost.
  void read_on(channel& c);
  /// Makes `c.holds` known: a near rank sees it in its ring, a far one gets a message.
  void tell(channel& c);
  /// Shuts a far rank out, or lets it in. Of two that hold each other back the lower one is the one that reads on.
  void follow(const channel& c);
};

}  // namespace armilla::detail
