// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/am/handler.hpp"
#include "armilla/base/types.hpp"
#include "armilla/fabric/frame.hpp"
#include "armilla/ring/ring.hpp"

namespace armilla::detail {

/// The part of a bundle whose bodies have not begun.
struct bundle_rest {
  const std::byte* at;
  const std::byte* end;
  /// What the loop over the messages compares with `end` behind each body. Another value: it asks `delivery::goes_on`.
  const std::byte* until = end;

  /// The loop ends behind the present message.
  void leave_nothing() noexcept { end = at, until = nullptr; }
};

/// Stands for the rest of a bundle that a poll's limit may cut.
extern const bundle_rest limited_bundle;

/// What takes a frame in: the loop, on whose stack bodies run, or a fiber that waits in place, which takes only what cannot
/// wait.
enum class taker { loop, in_place };

/// A ring that an inbox reads.
struct inbound {
  ring_reader reader;
  rank_t source;
  const bool* held;             ///< whether its source is held back
  std::uint64_t processed = 0;  ///< frames ever taken from it
  std::byte* next = nullptr;    ///< where the first frame goes on, if a poll with a limit has put it back
};

/// A frame that is being taken in.
struct arrival {
  inbound* in;  ///< null: it came over a network
  rank_t source;
  std::uint32_t bytes;
  const std::byte* at;  ///< the next bundle
  const std::byte* end;
  far_frame far;
  const std::byte* first = at;
  handler_id handler = no_handler;  ///< of the present bundle
  bundle_rest* bundle = nullptr;    ///< its rest, if its bodies may wait
  bool kept = false;                ///< the loop, or a fiber, goes on with it later
};

/// A frame whose body waits: the next loop goes on with the rest.
struct suspended_frame {
  arrival frame;
  bundle_rest rest;
};

}  // namespace armilla::detail
