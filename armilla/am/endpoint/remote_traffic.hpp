// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/am/endpoint/peer_channel.hpp"
#include "armilla/am/endpoint/rank_watch.hpp"
#include "armilla/am/handler/arrival.hpp"
#include "armilla/am/handler/message_handlers.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/fabric/remote_link.hpp"

namespace armilla::detail {

struct endpoint;

struct context;

/// What is to be done when a network has moved some memory.
struct bulk_end {
  void (*run)(context& self, std::uint64_t first, std::uint64_t second);
  std::uint64_t first, second;  ///< whatever `run` needs
};

/// Bytes of an argument for the progress thread of a rank on another host: it has no segment to put it in.
inline constexpr std::size_t longest_for_progress_thread = std::size_t{1} << 31;
inline std::size_t longest_for(const peer_channel& c) noexcept {
  return c.far && c.index != std::uint32_t(c.to) ? longest_for_progress_thread : ~std::size_t{0};
}

/// Handlers of messages that name a block: a block holds none of them.
constexpr bool names_block(std::uint64_t h) noexcept {
  return h == bulk_handler || h == remote_bulk_handler || h == zero_copy_handler;
}

/// Frames, blocks and memory to and from ranks that a network reaches, and what is kept for that.
struct remote_traffic {
  remote_traffic(endpoint& owner, network& net, remote_link::role who);
  /// Null where every rank is reached by a ring.
  static std::unique_ptr<remote_traffic> open(endpoint& owner, role who);

  // ---- for the layers above ----

  /// Memory to a far rank, or from it, without a copy on the way: `bytes` bytes that stay where they are until `end` has run.
  /// The sender's number, which a message tells the receiver, names the transfer.
  /// `owner`: for `moves_for`; may be null.
  std::uint32_t send_memory(rank_t to, const std::byte* data, std::size_t bytes, bulk_end end, const void* owner = nullptr);
  void receive_memory(rank_t from, std::uint32_t number, std::byte* place, std::size_t bytes, bulk_end end,
                      const void* owner = nullptr);

  /// Whether the network may still touch memory of a transfer of `owner`.
  bool moves_for(const void* owner) const noexcept {
    return std::ranges::any_of(transfers, [owner](const transfer& t) { return t.owner == owner; });
  }

  /// What comes from the far rank `source` in later frames waits until `go_on`.
  void hold(rank_t source) { link.hold(source); }
  void go_on(rank_t source) { link.go_on(source); }

  /// A control message to a far rank: beside all others, in order among its kind. Two pieces of bytes, multiples of 8, for a
  /// handler whose bodies do not wait. A fence does not count it, and no credit limits it: its sender must.
  void send_control(rank_t to, handler_id h, const void* head, std::size_t head_bytes, const std::byte* data, std::size_t bytes,
                    remote_link::kind how = remote_link::kind::control);
  /// The most bytes of one.
  std::size_t longest_control() const noexcept;

  /// Every open frame leaves, except those over the network to which `piggyback` can still add a message of `bytes` bytes.
  /// Until they leave the outbox is not idle.
  void flush_all_but_piggybacks(std::size_t bytes);
  /// As `send_control`, but at the end of the open frame to that rank, if `flush_all_but_piggybacks` has kept one: one message,
  /// not two.
  void piggyback(rank_t to, handler_id h, const void* head, std::size_t head_bytes, const std::byte* data, std::size_t bytes);

  // ---- for the outbox and the inbox: frames ----

  /// A frame to the far rank of `c` leaves; false: there is no credit, or no buffer.
  bool post(const peer_channel& c, const std::byte* frame, std::size_t bytes);
  void drain_control();
  bool takes_piggyback(const peer_channel& c, std::size_t bytes) const noexcept;
  std::uint64_t lines_sent(rank_t r) const noexcept;
  std::uint64_t lines_taken(rank_t r) const noexcept { return link.taken(std::uint32_t(r)); }
  /// Before a sleep: shows what has been sent and taken in.
  void show_events(control_block& mine) const noexcept;
  /// Of a progress thread: its rank sees how far it is.
  void show_processed(rank_t source) noexcept;

  // ---- for the outbox and the inbox: blocks, remote_traffic_bulk.cpp ----

  void append_bulk(peer_channel& c, std::byte* block, std::size_t size, handler_id h);
  /// The frame that names the blocks of `c` leaves: they are filled or given up, as their watermarks say.
  void start_blocks(const peer_channel& c) {
    if (!sending.empty()) start_bulk(c);
  }
  void start_bulk(const peer_channel& c);
  /// Its rank is lost: what was to travel stays here, and is freed.
  void drop_blocks(const peer_channel& c);
  std::byte* expect_block(rank_t source, std::size_t size);
  void expect_bulk(rank_t source, std::uint32_t id, std::size_t size, std::uint64_t h);
  void expect_zero_copy(rank_t source, const std::byte* at, std::size_t size);
  template <taker By>
  bool move_bulk();
  template <taker By>
  void take_bulk(rank_t source, std::uint64_t offset, std::size_t size, std::uint64_t h);
  template <taker By>
  void take_own_bulk(rank_t source, std::unique_ptr<std::byte[]> block, std::size_t size, std::uint64_t h);
  void drop_bulk(rank_t source, std::byte* block);

  // ---- losses, remote_traffic_loss.cpp ----

  /// Rank `r` is lost: what was under way with it ends.
  void lose(rank_t r);
  /// Another process takes the place of rank `r`, which was lost: what is known of that one is forgotten, but for what was
  /// counted. Nothing is sent there, and nothing of it is taken in, until the link goes on.
  void expect(rank_t r);
  /// Behind a look that found nothing, now and then: asks the network which ranks it cannot reach.
  void look_for_losses() {
    if ((++idle_looks & 255) == 0) ask_network();
  }
  /// The next such look asks.
  void look_for_losses_next() noexcept { idle_looks |= 255; }
  [[gnu::cold]] void ask_network();
  void tell_unreachable(rank_t r, const char* why) const;
  /// Takes down which connections have broken meanwhile.
  void note_broken();
  /// Whether a transfer from that rank that has ended may have broken off.
  bool cut_off(rank_t from);

  // ---- state ----

  struct outgoing {
    rank_t to;
    std::uint32_t channel;  ///< its index: names it
    std::uint32_t id;
    std::byte* block;  ///< in this rank's segment; of a progress thread, which has no heap: from `new`
    std::size_t bytes;
    std::uintptr_t transfer = 0;  ///< 0: the block is not filled yet
  };
  static constexpr std::uintptr_t has_come = 0;  ///< no transfer: all of it is there
  struct coming {
    rank_t source;
    std::byte* block;  ///< in this rank's segment; of a progress thread, which has no heap: from `new`, and its own
    std::size_t size;
    std::uint64_t handler;
    std::uintptr_t transfer;
    bool zero_copy;  ///< the network brings a part, and does not tell success from a break: ask first whether the source lives
  };

  struct queued_control {
    rank_t to;
    std::vector<std::byte> frame;
    remote_link::kind how;
  };

  struct transfer {
    std::uintptr_t number;  ///< 0: it broke off, and it is not known yet that `from` is lost
    rank_t from;            ///< no_rank: it is sent from here
    rank_t to;              ///< no_rank: it comes here
    bulk_end end;
    const void* owner = nullptr;  ///< of the memory, if it must outlive the transfer
  };

  /// A transfer with a lost rank whose memory the network still holds: a block of this rank's segment, or of `new`.
  struct orphan {
    std::uintptr_t number;
    std::byte* block;
    bulk_end end;  ///< `run` may be null
  };

  /// A connection that broke. The supervisor may know why, and is given a moment to say so.
  struct broken_connection {
    network::loss what;
    std::uint64_t tell_at_ns;
    bool told = false;
  };
  static constexpr std::uint64_t cause_may_come_ns = 100'000'000;
  static constexpr std::uint64_t supervisor_tells_ns = 1'000'000'000;

  rank_watch rank;            ///< of a progress thread
  std::uint64_t came_ns = 0;  ///< when the progress thread found something

  /// Whether something waits for a buffer: no event tells when there is one.
  bool wants_buffers() const noexcept { return !control_queue.empty() || link.owes(); }
  bool any_bulk() const noexcept { return !sending.empty() || !receiving.empty() || !transfers.empty(); }
  /// Whether the network still has to take something before it may be closed.
  bool moves_anything() const noexcept { return !sending.empty() || !transfers.empty() || !control_queue.empty(); }

  std::byte* segment() const noexcept;  ///< this rank's
  void free_block(std::byte* block);

  endpoint& all;
  context& self;
  remote_link link;
  std::vector<transfer> transfers;  ///< of memory, for the layer above
  std::vector<broken_connection> broken;
  std::vector<orphan> orphans;  ///< no fiber waits for them
  bool losses_told = false;     ///< the supervisor tells of each rank that dies, and why
  bool all_broken = false;      ///< the network does not say which connections
  std::uint32_t idle_looks = 0;
  bool closing = false;                      ///< peers leave in good order
  std::deque<queued_control> control_queue;  ///< that found no buffer
  std::vector<outgoing> sending;
  std::vector<coming> receiving;
};

/// Waits, behind an error, until the network has left the memory of `owner` alone: that ends, at the latest with its peer.
/// Further errors are for the rank's next wait.
[[gnu::cold]] void await_transfers(endpoint& all, const void* owner) noexcept;

}  // namespace armilla::detail
