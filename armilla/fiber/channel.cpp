// SPDX-License-Identifier: Apache-2.0
#include "armilla/channel.hpp"

#include <string>

#include "armilla/error.hpp"

namespace armilla::detail {

void throw_bad_capacity(std::size_t capacity) {
  if (capacity == 0) throw_usage("channel", "a capacity of 0 holds nothing; ask for 1 at least");
  throw_usage("channel", "a capacity of " + std::to_string(capacity) +
                             " is more than an address space holds; ask for less (is it a negative number?)");
}

void throw_channel_closed(const char* operation) {
  throw_usage(operation, "the channel is closed; close it when no fiber pushes any more");
}

}  // namespace armilla::detail
