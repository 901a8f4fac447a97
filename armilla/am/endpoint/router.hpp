// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/am/handler/bundle_rest.hpp"
#include "armilla/am/handler/mesh.hpp"

namespace armilla::detail {

/// One-way calls to ranks of many hosts, by way of others: so a rank fills frames for a row and a column of hosts, not for all.
/// docs/adr/0030-one-way-calls-by-rows-and-columns.md.
///
/// A *routed* message lies in a frame to the next rank on its way, in a bundle for `relay_handler`, with what says whose it is,
/// which rank it is for, and which message it is. That rank runs it, or appends it to its own frame for the next one. All
/// messages of a pair that are routed go one way, so they keep their order. All others of the pair go straight: two-way calls,
/// replies, and what is long. Where a pair changes from one to the other, the next message says what was sent the other way
/// before it: straight ones how many routed ones, routed ones how many lines. Its receiver puts it off until these have begun.
/// Replies ask for no order.
///
/// Fences: what is passed on has left before this rank counts, or makes it busy. A fence of a team counts the pairs, end to end
/// (`created_for`, `begun_from`).
///
/// Credit: a pair has so many bytes of routed messages under way that their receiver has not begun; then it sends straight. A
/// rank that is held back, as too much is queued for it, is not told what has begun here: it runs out of that credit, sends
/// straight, and those frames wait in its link.
///
/// Backpressure: a rank takes in no more from those that send it what it passes on while more than ARMILLA_BACKLOG is queued for
/// one that it passes it on to: for another host, if they send for other hosts; for one of this host in any case. What is passed
/// on along a column has come along a row, what is passed on inside a host has come along either: so nothing waits for itself.
class router {
 public:
  /// Null where all messages go straight: ARMILLA_ROUTE_HOSTS is 0, or there are fewer hosts than that, or than four; ranks may
  /// be lost or join; or signals take messages in.
  static std::unique_ptr<router> open(outbox& out);

  router(outbox& out, const host_map& host);

  /// Whether what is for `to` goes by way of another rank.
  bool is_routed(rank_t to) const noexcept { return mesh_.next_to(to) != to; }
  /// The channel to the first rank on that way; null: it goes straight.
  peer_channel* way_of(rank_t to) { return is_routed(to) ? &way_to(to) : nullptr; }

  // ---- sending ----

  /// The place of a message for the rank of `c`: in a frame to the next rank on its way, or, where a bundle of routed messages is
  /// open for `c` itself, in there. Null: it is an ordinary message to `c`.
  std::byte* place_for(peer_channel& c, handler_id h, std::size_t size, traffic kind);
  /// A frame of routed messages that is full leaves; the rank's own code waits for credit.
  void settle(peer_channel& way);

  // ---- receiving ----

  /// Whether the one at the front of a bundle is for another rank than `me`.
  static bool is_to_pass_on(rank_t me, const std::byte* message, const std::byte* end) noexcept;
  /// Runs the message at the front of `rest`, or passes it on.
  void take(delivery& in, rank_t from, bundle_rest& rest);
  /// A straight frame of `source` goes on behind the first `routed` of its routed messages. False: some of these have not begun,
  /// and the frame waits.
  bool has_come_to(rank_t source, std::uint64_t routed);
  /// Whether what waits there may go on, if it waits.
  bool may_go_on(std::uint32_t source) const noexcept;
  /// Rank `r` says how many bytes of routed messages from here have begun there.
  void note_begun_there(rank_t r, std::uint64_t bytes) noexcept;
  /// Says so to `source`, which may send as much again, unless it is held back.
  void tell_begun(rank_t source);
  /// How long frames with messages to pass on wait for company: while looks find something, and for some looks that do not. Ranks
  /// on one row send at the same time, and so does what they send arrive.
  class company {
   public:
    void begin() noexcept { on_ = true; }
    bool on() const noexcept { return on_; }
    /// Behind a look, `found` if it took anything in: whether they wait on.
    bool look_behind(bool found) noexcept;

   private:
    bool on_ = false;
    std::uint32_t looks_ = 0;       // since then
    std::uint32_t idle_looks_ = 0;  // the last ones of these, which found nothing
  };
  /// A reply by an active message has been put into a frame of the way back: behind the present frame that leaves.
  void reply_waits() noexcept { replies_wait_ = true; }
  bool take_replies() noexcept { return std::exchange(replies_wait_, false); }
  company& waits() noexcept { return company_; }
  const company& waits() const noexcept { return company_; }
  /// A message that has come too early.
  struct late_message {
    rank_t source;
    std::uint64_t lines;  ///< of its source, that came before
    handler_id handler;
    std::vector<std::byte> bytes;
  };
  /// The next of these that may begin now; false: there is none.
  bool next_late(late_message& m);
  /// It may not begin after all, for a poll has reached its limit.
  void put_back_late(late_message m);
  bool any_late() const noexcept { return !late_.empty(); }

  // ---- for fences of teams: messages from end to end ----

  std::uint64_t created_for(rank_t r) const noexcept { return pairs_[std::size_t(r)].sent; }
  std::uint64_t begun_from(rank_t r) const noexcept { return pairs_[std::size_t(r)].begun; }

  // ---- backpressure ----

  /// More than ARMILLA_BACKLOG is queued for `c`, to which messages are passed on.
  [[gnu::cold]] void hold_feeders(peer_channel& c);
  /// Half of that has left.
  [[gnu::cold]] void read_feeders(peer_channel& c);
  /// Whether there is too much already of what the rank of `c` sends to be passed on.
  bool bars(const peer_channel& c) const noexcept {
    return (c.feeding != peer_channel::feeds::nothing && full_near_ != 0) ||
           (c.feeding == peer_channel::feeds::other_hosts && full_far_ != 0);
  }

 private:
  /// Messages with one other rank, that to it and that from it.
  struct pair {
    std::uint64_t sent;              ///< routed messages to it
    std::uint64_t told;              ///< of them, those that a straight message has told of
    std::uint64_t begun;             ///< routed messages from it
    std::uint64_t awaited;           ///< of these, those that a straight frame waits for
    std::uint64_t sent_bytes;        ///< of routed messages to it
    std::uint64_t begun_there;       ///< of these bytes, as far as known
    std::uint64_t begun_bytes;       ///< of routed messages from it
    std::uint64_t told_begun_bytes;  ///< that it has been told
    std::uint64_t way_lines;         ///< had left on its way when the last routed message was put into a frame there
    std::uint32_t late;              ///< messages from it that have come and not begun
    bool straight;                   ///< what was sent to it last went straight
  };
  struct head;

  /// Those that a rank has sent and that have not begun, the oldest first.
  struct late_queue {
    rank_t source;
    std::deque<late_message> messages;
  };

  peer_channel& way_to(rank_t to) { return out_.prepared_to(mesh_.next_to(to)); }
  std::byte* route(peer_channel& c, handler_id h, std::size_t size, traffic kind);
  /// The place in a frame to the rank of `next`. `behind_straight`: what was sent straight to the rank of `c` comes before.
  std::byte* append(const peer_channel& c, peer_channel& next, handler_id h, std::size_t size, traffic kind,
                    bool behind_straight);
  void mark_straight(peer_channel& c);
  late_queue& late_of(rank_t source);
  void note_begun(rank_t source, std::size_t bytes);
  void pass_on(rank_t from, const head& what, const std::byte* at, std::size_t size);
  void deliver(const head& what, const std::byte* at);
  void note_feeder(rank_t from, const peer_channel& next);
  bool straight_ones_have_begun(rank_t source, std::uint64_t lines) const noexcept;

  outbox& out_;
  mesh mesh_;
  zeroed_array<pair> pairs_;
  std::uint64_t window_;
  std::vector<late_queue> late_;
  std::vector<std::uint32_t> feeders_;  // channels of ranks that send what is passed on
  bool replies_wait_ = false;
  company company_;                             // of messages to pass on that lie in open frames
  std::uint32_t full_near_ = 0, full_far_ = 0;  // channels to which too much is passed on, inside this host and to others
};

}  // namespace armilla::detail
