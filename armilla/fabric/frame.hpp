// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// Source and receiver of a frame, as the lanes of `host_layout`: what each lane brings has an order and a credit of its own.
enum class frame_lane : std::uint8_t {
  bodies,           ///< from rank to rank
  progress_thread,  ///< from a rank to a progress thread: one-sided access, and safe bodies
  replies           ///< from a progress thread to a rank
};
inline constexpr int frame_lanes = 3;

/// What heads each frame on a network, 32 bytes; the bundles follow. See docs/spec/wire.md.
struct network_head {
  static constexpr std::uint32_t good_mark = 0x41524d31;  ///< "1MRA" in memory: this version of the frame
  std::uint32_t mark = good_mark;
  std::uint16_t epoch = 0;   ///< of the job: 0, kept for a job that is begun anew
  std::uint8_t control = 0;  ///< 1: neither credit nor a fence counts it; 2: the same, and it comes past a receiver that is shut;
                             ///< 3: the same, and it is no event for its receiver, which waits on
  frame_lane lane = frame_lane::bodies;
  std::uint32_t source = 0;  ///< rank
  std::uint32_t bytes = 0;   ///< of the bundles; 0: nothing but what this head says
  std::uint64_t number = 0;  ///< of this frame among those with bundles from its source to its receiver, by lane
  std::uint64_t taken = 0;   ///< lines of the receiver's frames that its source has taken in, ever, by lane
};
static_assert(sizeof(network_head) == 32);

/// The bundles of a frame that has come over a network.
struct remote_frame {
  const std::byte* data = nullptr;
  std::uint32_t bytes = 0;
  rank_t source = no_rank;
  std::uintptr_t token = 0;  ///< of the network
  bool control = false;
  bool word = false;                ///< a control message that comes also where its source is shut out
  bool watch = false;               ///< of those that watch the job: whoever waits has got nothing by it
  std::byte* copy = nullptr;        ///< owned, where the frame could not be taken in when it came
  std::uint32_t end = 0;            ///< of `remote_link`, from which it came
  const std::byte* next = nullptr;  ///< of one that was put back: where it goes on
};

}  // namespace armilla::detail
