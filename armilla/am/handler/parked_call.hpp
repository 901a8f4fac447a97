// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "armilla/am/handler/handler.hpp"

namespace armilla::detail {

/// A call that came before its object; it runs when the object appears.
struct parked_call {
  rank_t source;
  handler_id handler;
  std::vector<std::byte> message;
};

}  // namespace armilla::detail
