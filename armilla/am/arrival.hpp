// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/am/bundle_rest.hpp"
#include "armilla/am/handler.hpp"
#include "armilla/base/types.hpp"
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
struct arrival : taken_frame {
  inbound* in;  ///< null: it came over a network
  rank_t source;
  std::uint32_t bytes;
  const std::byte* at;  ///< the next bundle
  const std::byte* end;
  far_frame far;
  const std::byte* first = at;
  handler_id handler = no_handler;  ///< of the present bundle
  bool kept = false;                ///< the loop, or a fiber, goes on with it later
};

/// A frame whose body waits: the next loop goes on with the rest.
struct suspended_frame {
  arrival frame;
  bundle_rest rest;
};

}  // namespace armilla::detail
