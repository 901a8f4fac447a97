// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/am/handler/bundle_rest.hpp"
#include "armilla/am/handler/handler.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/fabric/frame.hpp"
#include "armilla/ring/ring.hpp"

namespace armilla::detail {

/// What takes a frame in: the loop, on whose stack bodies run, or a fiber that waits in place, which takes only what cannot
/// wait.
enum class taker { loop, in_place };

/// A ring that an inbox reads.
struct inbound {
  ring_reader reader;
  rank_t source;
  std::uint32_t blocks;         ///< in its source's memory that are being read
  const bool* held;             ///< whether its source is held back
  std::uint64_t processed = 0;  ///< frames ever taken from it
  std::byte* next = nullptr;    ///< where the first frame goes on, if a poll with a limit has put it back
  inbound* after = nullptr;     ///< the ring that is looked at next
};

/// A frame that is being taken in, with what only the inbox knows of it.
///
/// Of a frame from a ring `far` holds nothing, and nothing is written there: clearing it took longer than a short body.
struct arrival : taken_frame {
  arrival() noexcept : far{} {}  ///< of a network, which fills it in
  arrival(inbound& ring, const ring_reader::frame& f) noexcept
      : in(&ring), source(ring.source), bytes(f.bytes), at(f.data), end(f.data + f.bytes), first(f.data) {}
  /// Of bytes that lie as if a network had brought them.
  arrival(rank_t from, const std::byte* data, std::uint32_t length, const remote_frame& owner) noexcept
      : source(from), bytes(length), at(data), end(data + length), far(owner), first(data) {}

  inbound* in = nullptr;  ///< null: it came over a network
  rank_t source = no_rank;
  std::uint32_t bytes = 0;
  const std::byte* at = nullptr;  ///< the next bundle
  const std::byte* end = nullptr;
  union {
    remote_frame far;
  };
  const std::byte* first = nullptr;
  handler_id handler = no_handler;  ///< of the present bundle
  bool kept = false;                ///< the loop, or a fiber, goes on with it later
};

/// A frame whose body waits: the next loop goes on with the rest.
struct suspended_frame {
  arrival frame;
  bundle_rest rest;
};

}  // namespace armilla::detail
