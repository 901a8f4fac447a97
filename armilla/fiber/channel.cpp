// SPDX-License-Identifier: Apache-2.0
#include "armilla/fiber/channel.hpp"

#include "armilla/base/error.hpp"

namespace armilla::detail {

void throw_no_capacity() { throw_usage("channel", "a capacity of 0 holds nothing; ask for 1 at least"); }

void throw_channel_closed(const char* operation) {
  throw_usage(operation, "the channel is closed; close it when nobody pushes any more");
}

}  // namespace armilla::detail
