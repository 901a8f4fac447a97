// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <vector>

#include "armilla/am/endpoint/sending.hpp"
#include "armilla/base/values/owned.hpp"
#include "armilla/fabric/notify.hpp"

namespace armilla::detail {

/// What is longer goes straight: it is worth a frame of its own sooner than a second way. See router.
inline constexpr std::size_t longest_routed = 512;

/// What a rank sends to one peer: a ring in memory that both map, or a network; a frame that is being filled in private memory;
/// and frames that found no credit.
///
/// The channels of a rank lie in an array of zeros, and the first send to a peer sets its channel up: those of peers that are
/// never sent to take no memory. Zeros are a channel that is not `ready`, which is the first thing that a send asks.
///
/// Frames are filled here and copied into the ring when they leave: written one by one into lines that the other core holds,
/// messages would wait in the store buffer, each for its line (docs/adr/0001-private-frames.md).
struct peer_channel : channel_head {
  bool listed = false;  ///< stands in the outbox's list of channels to flush
  bool same_program = true;
  bool holds = false;        ///< too much is queued for its peer: nothing is read from that peer
  bool held_there = false;   ///< far: its peer reads nothing from this rank
  bool handed_over = false;  ///< lost: both rings wait for another rank in its place
  enum class relayed : std::uint8_t { nothing, some, too_much };
  relayed passed_on = relayed::nothing;  ///< what is passed on to its peer; too much: more is queued than ARMILLA_BACKLOG
  enum class feeds : std::uint8_t { nothing, this_host, other_hosts };
  feeds feeding = feeds::nothing;     ///< where what comes from its peer is passed on to
  peer_channel* way = nullptr;        ///< by which one-way calls go to its peer: see router. Then it is never ready
  traffic kind = traffic::uncounted;  ///< of the open bundle
  std::uint32_t message_size = 0;     ///< bytes of each of its messages; 0: they differ, and count themselves
  bundle_header* bundle = nullptr;
  std::byte* counted = nullptr;  ///< the open bundle's messages in front of it have been counted
  struct backlog_frame {
    std::vector<std::byte> bytes;
    std::size_t size;    ///< of the frame; `bytes` holds `least_frame` at least
    std::size_t weight;  ///< with the blocks that it names
  };
  /// Frames that wait for credit, oldest first; a list, as an empty deque takes memory. Zeros are no list: of a channel that
  /// is not set up it may not be asked.
  std::list<backlog_frame> backlog;
  std::size_t backlog_weight = 0;  ///< of all of them
  std::size_t open_blocks = 0;     ///< bytes of the blocks that the open frame names
  owned<std::byte[]> staging;      ///< where frames are filled
  std::size_t staging_bytes = 0;   ///< its length; 0 while buffering is timed, so that each frame is opened by `prepare_staging`
  std::size_t staging_room = 0;    ///< its length
  std::uint64_t filled_since = 0;  ///< ticks when the open frame was opened, while that is timed
  std::uint64_t frames = 0;        ///< that were filled in `staging`
  traffic alone_kind = traffic::uncounted;
  std::uint64_t alone_since = 0;  ///< lines of the ring when the first of them went

  /// Copies a frame out of private memory into the ring, in one piece, so that few stores wait for each line. The first line is
  /// copied whole, whatever of it is used: no branches. `show` follows. False: there is no credit.
  bool place(const std::byte* from, std::size_t bytes) noexcept {
    const ring_writer::room room = ring.reserve(bytes, bytes);
    if (room.begin == nullptr) [[unlikely]]
      return false;
    std::memcpy(room.begin, from, least_frame);
    if (bytes > least_frame) std::memcpy(room.begin + least_frame, from + least_frame, bytes - least_frame);
    return true;
  }
  /// The peer sees the frame that is in the ring. True: it slept, and has been woken.
  bool show(std::size_t bytes) {
    ring.publish(bytes);
    return notify(*peer);
  }
};
static_assert(sizeof(peer_channel) <= channel_stride, "armilla: raise channel_stride in am/endpoint/sending.hpp");

}  // namespace armilla::detail
