// SPDX-License-Identifier: Apache-2.0
#include "armilla/wire/decode.hpp"

#include <string>

#include "armilla/wire/encode.hpp"

namespace armilla::detail {

void sizer::throw_nesting() {
  throw_usage("send", "objects nest more than " + std::to_string(max_nesting) +
                          " deep; send long lists and deep trees as vectors of their nodes");
}

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

std::size_t decoder::await(const watermark& mark, std::size_t before, std::size_t size, std::size_t wanted) {
  const std::uint64_t there = mark.await(before + wanted) - before;
  return there < size ? std::size_t(there) : size;
}

const std::byte* decoder::take_at_sender(std::size_t n, std::size_t size, std::size_t align) {
  count_t offset;
  std::memcpy(&offset, take(sizeof offset, sizeof offset), sizeof offset);
  if (there_.base == nullptr || n > there_.bytes / size || offset > there_.bytes - n * size || offset % align != 0)
    throw_bad("a view's place in the sender's memory");
  return there_.base + offset;
}

}  // namespace armilla::detail
