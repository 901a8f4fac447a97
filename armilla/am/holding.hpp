// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/am/channel.hpp"
#include "armilla/am/handler.hpp"

namespace armilla::detail {

class endpoint;

/// How an endpoint reads nothing more from a rank that asks for more than it takes in: hold.cpp.
struct holding {
  endpoint& self;

  void hold_back(channel& c);
  void read_on(channel& c);
  /// The rank itself is told, and a far one held back or not, whatever of both hold each other back.
  void tell(channel& c);
  void follow(const channel& c);
};

}  // namespace armilla::detail
