// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <list>
#include <vector>

#include "armilla/am/handler.hpp"
#include "armilla/am/link.hpp"
#include "armilla/base/owned.hpp"

namespace armilla::detail {

/// Heads a bundle: messages for one handler, one behind the other in a frame, each a multiple of 8 bytes.
struct bundle_header {
  handler_id handler;
  std::uint32_t length;  ///< bytes of the messages
};

/// What the messages of a bundle count as. They are counted when the bundle ends, so that appending one costs nothing more.
/// Uncounted ones are counted by their senders. Replies leave where a body may send no more: the rings bound them.
enum class traffic : std::uint8_t { uncounted, uncounted_statements, statements, questions, replies, uncounted_replies };
constexpr bool is_statement(traffic k) noexcept { return k == traffic::statements || k == traffic::uncounted_statements; }
constexpr bool is_reply(traffic k) noexcept { return k == traffic::replies || k == traffic::uncounted_replies; }

/// What is longer goes straight: it is worth a frame of its own sooner than a second way. See router.
inline constexpr std::size_t longest_routed = 512;

/// What a rank sends to one peer: its link, a frame that is being filled in private memory, and frames that found no credit.
///
/// The channels of a rank lie in an array of zeros, and the first send to a peer sets its channel up: those of peers that are
/// never sent to take no memory. Zeros are a channel that is not `ready`, which is the first thing that a send asks.
///
/// Messages of the open bundle are appended at `cursor` as long as they end before `limit`. With no frame open both are null
/// and `bundle_handler` is `no_handler`, so that one comparison sends every first message to the slower path.
///
/// Frames are filled here and copied into the ring when they leave: written one by one into lines that the other core holds,
/// messages would wait in the store buffer, each for its line (docs/adr/0001-private-frames.md).
struct peer_channel : link {
  std::byte* cursor = nullptr;
  std::byte* limit = nullptr;
  handler_id bundle_handler = no_handler;
  handler_id hot_handler = no_handler;  ///< bundle_handler, if one more message needs only its bytes: no observer counts it
  bool urgent = false;                  ///< the open frame holds a reply: it leaves when the present frame has been handled
  bool listed = false;                  ///< stands in the outbox's list of channels to flush
  bool same_program = true;
  bool ready = false;        ///< set up, and no frames wait for credit: nothing may pass those
  bool direct = false;       ///< ready, with an open ring to a peer of this program; else the general way is to be taken
  bool lost = false;         ///< none lives in its place: not ready until a newcomer does; sends throw rank_lost
  bool holds = false;        ///< too much is queued for its peer: nothing is read from that peer
  bool held_there = false;   ///< far: its peer reads nothing from this rank
  bool handed_over = false;  ///< lost: both rings wait for another rank in its place
  std::uint32_t life = 0;    ///< of its rank: how many newcomers have come into that place
  enum class relayed : std::uint8_t { nothing, some, too_much };
  relayed passed_on = relayed::nothing;  ///< what is passed on to its peer; too much: more is queued than ARMILLA_BACKLOG
  enum class feeds : std::uint8_t { nothing, this_host, other_hosts };
  feeds feeding = feeds::nothing;     ///< where what comes from its peer is passed on to
  peer_channel* way = nullptr;        ///< by which statements go to its peer: see router. Then it is never ready
  traffic kind = traffic::uncounted;  ///< of the open bundle
  std::uint32_t message_size = 0;     ///< bytes of each of its messages; 0: they differ, and count themselves
  bundle_header* bundle = nullptr;
  std::byte* frame = nullptr;    ///< first byte of the open frame, in `staging`
  std::byte* counted = nullptr;  ///< the open bundle's messages in front of it have been counted
  std::size_t aggregate = 0;     ///< bytes after which a frame of small messages is sent
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
  std::size_t staging_bytes = 0;
  std::uint64_t frames = 0;  ///< that were filled in `staging`
  // Messages that go straight into the ring are not counted one by one: the ring's position tells how many there were.
  handler_id alone_handler = no_handler;
  traffic alone_kind = traffic::uncounted;
  std::uint32_t alone_size = 0;
  std::uint64_t alone_since = 0;  ///< lines of the ring when the first of them went

  bool open() const noexcept { return frame != nullptr; }
};

}  // namespace armilla::detail
