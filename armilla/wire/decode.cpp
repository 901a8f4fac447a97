// SPDX-License-Identifier: Apache-2.0
#include "armilla/wire/decode.hpp"

#include <string>

namespace armilla::detail {

void decoder::throw_bad(const char* what) const { throw_decode(sender_, "decode", what); }

void decoder::throw_short(rank_t sender, std::size_t offset, std::size_t size, std::size_t wanted) {
  throw_decode(sender, "decode",
               "a value of " + std::to_string(wanted) + " bytes at offset " + std::to_string(offset) +
                   " does not fit into a message of " + std::to_string(size) + " bytes");
}

void decoder::throw_count(rank_t sender, std::size_t left, count_t count) {
  throw_decode(sender, "decode",
               "a count of " + std::to_string(count) + " elements does not fit into the " + std::to_string(left) +
                   " bytes that are left of the message");
}

}  // namespace armilla::detail
