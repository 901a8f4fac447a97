// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "armilla/base/types.hpp"
#include "armilla/fabric/notify.hpp"
#include "armilla/ring/ring_writer.hpp"

namespace armilla::detail {

/// The way to one peer: a ring in memory that both map, or a network.
struct link {
  rank_t to = 0;
  std::uint32_t index = 0;        ///< in the outbox's table
  bool far = false;               ///< a network carries its frames; there is no ring
  control_block* peer = nullptr;  ///< where the peer says whether it sleeps
  ring_writer ring;

  /// Copies a frame out of private memory into the ring, in one piece, so that few stores wait for each line. The first line is
  /// copied whole, whatever of it is used: no branches. `publish` follows. False: there is no credit.
  bool place(const std::byte* frame, std::size_t bytes) noexcept {
    const ring_writer::room room = ring.reserve(bytes, bytes);
    if (room.begin == nullptr) [[unlikely]]
      return false;
    std::memcpy(room.begin, frame, least_frame);
    if (bytes > least_frame) std::memcpy(room.begin + least_frame, frame + least_frame, bytes - least_frame);
    return true;
  }
  /// The peer sees the frame that lies in the ring. True: it slept, and has been woken.
  bool publish(std::size_t bytes) {
    ring.publish(bytes);
    return notify(*peer);
  }

  /// Bytes that can be read where a frame lies, however short it is.
  static constexpr std::size_t least_frame = cache_line - frame_head;
};

}  // namespace armilla::detail
