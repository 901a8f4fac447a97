// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "armilla/am/endpoint/peer_channel.hpp"
#include "armilla/am/endpoint/sending.hpp"
#include "armilla/base/core/context.hpp"
#include "armilla/base/values/owned.hpp"
#include "armilla/base/values/peer.hpp"
#include "armilla/base/values/zeroed_array.hpp"
#include "armilla/stats/trace.hpp"
#include "armilla/wire/watermark.hpp"

namespace armilla::detail {

struct endpoint;
struct remote_traffic;
class heap;
class router;
struct host_map;
class buffer_times;

/// What an endpoint takes in: messages for the rank itself, or those for its progress thread (ARMILLA_PROGRESS_MODE=thread).
enum class role { rank, progress_thread };

/// The sending side of a rank: all of it. Templates know the base alone.
///
/// A frame that finds no credit is queued here. The rank's own code then takes in messages until it has left; a body goes on, so
/// that sending never makes it wait (see docs/guide/messages.md).
///
/// Paper: von Eicken's active messages as in the Split-C paper, section 2; aggregation: STAPL, section 6.3.
class outbox : public sending {
 public:
  outbox(context& self, const host_map& host, role who);
  ~outbox();

  // ---- channels ----

  /// As in `sending`: it may be zeros. `prepared_to` does not wait for a send.
  peer_channel& to(rank_t dest) noexcept { return at(std::size_t(dest)); }
  const peer_channel& to(rank_t dest) const noexcept { return at(std::size_t(dest)); }
  peer_channel& to_progress_thread(peer_channel& c) const noexcept { return full(sending::to_progress_thread(c)); }
  peer_channel& to_progress_thread(rank_t dest) noexcept { return to_progress_thread(to(dest)); }
  /// The channel to that thread, also where nothing goes to it; without progress threads that of the rank.
  peer_channel& progress_channel(rank_t dest) noexcept { return at(std::size_t(dest) + progress_channels_); }
  const peer_channel& progress_channel(rank_t dest) const noexcept { return at(std::size_t(dest) + progress_channels_); }
  /// The channel, set up.
  peer_channel& prepared(peer_channel& c) {
    if (c.peer == nullptr) [[unlikely]]
      set_up(c);
    return c;
  }
  peer_channel& prepared_to(rank_t dest) { return prepared(to(dest)); }

  /// The channels with an open ring, by index: those to which something was ever sent, or all near ones if `opens_all()`.
  const std::vector<std::uint32_t>& open_rings() const noexcept { return open_rings_; }
  const peer_channel& channel(std::uint32_t index) const noexcept { return at(index); }
  /// Whether all rings are open from the start: where others may follow at their ends, and where a signal's handler sends, which
  /// must not allocate.
  bool opens_all() const noexcept { return opens_all_; }

  // ---- what leaves, and what waits for credit ----

  /// Behind a look, `found` if it took anything in: what other ranks have given this one to pass on waits a moment for more.
  void flush_behind_look(bool found) {
    if (!to_flush_.empty()) flush_listed_behind_look(found);
  }
  /// Whether anything to pass on waits for more: later looks add to it, or send it.
  bool keeps_company() const noexcept { return router_ != nullptr && waits_for_company(); }
  /// What waits for company leaves now.
  void end_company() {
    if (router_ != nullptr) [[unlikely]]
      flush_company();
  }
  /// Sends every open frame, except of the channels for which `keeps(peer_channel&)` holds.
  template <class Keeps>
  void flush_but(Keeps&& keeps);
  /// Replies of active messages to the rank of `c`, which are one-way calls, have been put into frames of its way: they leave
  /// behind the frame that is being taken in.
  [[gnu::cold]] void send_routed_replies(peer_channel& c) noexcept;
  /// Sends what is queued as far as there is credit; true if anything has left.
  [[gnu::cold]] bool drain();
  /// Takes in messages until nothing is queued here. Nothing inside a body.
  void drain_all();
  /// Whether anything waits for credit, whose arrival wakes no rank.
  bool any_queued() const noexcept { return backlog_channels_ != 0; }
  /// Whether a look has more to see than rings: a network, or what is queued here.
  bool more_than_rings() const noexcept { return more_than_rings_; }
  std::size_t queued_bytes() const noexcept { return backlog_bytes_; }
  /// Bytes that wait here for rank `r` to take in what was sent before, with the blocks that they name.
  std::size_t queued_for(rank_t r) const noexcept { return to(r).backlog_weight; }
  bool nothing_to_send() const noexcept { return to_flush_.empty() && backlog_channels_ == 0; }
  /// Rank `r` is lost: what is open or queued for it is dropped, what is sent there later is refused.
  void lose(rank_t r) noexcept;
  /// Another rank has taken its place.
  void take_back(rank_t r, std::uint32_t life) noexcept;

  // ---- long payloads ----

  /// Payloads beyond `eager` go into blocks of `blocks`, which begins `first` bytes into this rank's segment.
  void use_heap(heap blocks, std::uint64_t first) noexcept;
  /// Of which long messages are made; null: the progress thread has none, for a heap has one owner.
  heap* blocks() noexcept { return blocks_.get(); }

  // ---- settings, counts, observers ----

  void set_aggregate(peer kind, std::size_t bytes) noexcept;
  std::size_t aggregate(peer kind) const noexcept;

  const host_map& host() const noexcept { return host_; }
  /// Brings those counters up to date that are kept where they cost less.
  void settle_counts() noexcept;
  void set_observed(bool observed) noexcept { observed_ = observed; }
  bool in_body() const noexcept { return self.body_depth != 0; }

  // ---- the network ----

  /// The way to ranks that a network reaches; null where every rank is reached by a ring.
  remote_traffic* far() noexcept { return far_.get(); }
  const remote_traffic* far() const noexcept { return far_.get(); }
  void open_network(endpoint& all, role who);
  void close_network() noexcept;
  /// The ways of one-way calls by other ranks; null: all go straight.
  router* routing() noexcept { return router_.get(); }
  const router* routing() const noexcept { return router_.get(); }
  /// Whether the network may still touch memory of a transfer of `owner`; false where there is no network.
  bool moves_for(const void* owner) const noexcept;

  /// In a child that a body or a fiber of this rank has forked: nothing can be sent.
  void enter_child() noexcept;

 private:
  friend class outgoing_block;
  friend struct remote_traffic;
  friend class router;
  friend class sending;

  static peer_channel& full(channel_head& c) noexcept { return static_cast<peer_channel&>(c); }
  peer_channel& at(std::size_t index) const noexcept { return full(channel_at(index)); }

  // ---- what `sending` says is done seldom ----

  std::byte* append_in_general(peer_channel& c, handler_id h, std::size_t size, traffic kind);
  std::byte* begin_alone_in_general(peer_channel& c, handler_id h, std::size_t size, traffic kind, audience to);
  void push_frame(peer_channel& c);
  void wait_for_credit(peer_channel& c);
  void flush_all();

  // ---- behind them ----

  watermark* start_block(peer_channel& c, handler_id h, std::size_t size);
  [[gnu::cold]] watermark* start_own_block(peer_channel& c, handler_id h, std::size_t size);
  [[gnu::cold]] std::byte* append_bulk(peer_channel& c, handler_id h, std::size_t size);
  [[gnu::cold]] void set_up(peer_channel& c);
  bool has(peer kind) const noexcept;
  [[gnu::cold]] void open_ring(peer_channel& c);
  void open_frame(peer_channel& c, std::size_t need);
  [[gnu::cold]] void prepare_staging(peer_channel& c, std::size_t bytes);
  [[gnu::cold]] void note_frame(const peer_channel& c, handler_id last, std::size_t bytes) noexcept;
  [[gnu::cold]] void prepare_indirect(peer_channel& c, handler_id h, traffic kind);
  [[gnu::cold]] void refuse_if_spent(const peer_channel& c, handler_id h, traffic kind) const;
  void start_bundle(peer_channel& c, handler_id h, std::size_t size, traffic kind) noexcept;
  void close_bundle(peer_channel& c) noexcept;
  void count_bundle(peer_channel& c) noexcept;
  void start_alone(peer_channel& c, handler_id h, std::size_t size, traffic kind) noexcept;
  void count_alone(peer_channel& c) noexcept;
  void count_messages(traffic kind, std::uint64_t messages) noexcept;
  void flush_listed_behind_look(bool found);
  [[gnu::cold]] bool waits_for_company() const noexcept;
  [[gnu::cold]] void flush_company();
  bool post(peer_channel& c, const std::byte* frame, std::size_t bytes);
  [[gnu::cold]] void queue(peer_channel& c, const std::byte* frame, std::size_t bytes, std::size_t blocks);
  bool drain(peer_channel& c);
  void count_backlogs(std::uint32_t channels) noexcept;
  void lose(peer_channel& c) noexcept;
  std::size_t longest_frame(bool far) const noexcept;
  peer kind_of(const peer_channel& c) const noexcept;

  struct channel_place {
    std::byte bytes[channel_stride];
  };
  zeroed_array<channel_place> places_;   // of the channels
  std::vector<std::uint32_t> prepared_;  // those that are set up
  std::uint32_t backlog_channels_ = 0;
  bool more_than_rings_ = false;
  const bool opens_all_;
  std::vector<std::uint32_t> open_rings_;
  std::size_t aggregate_[3];  // by kind of peer
  std::size_t backlog_bytes_ = 0;
  std::size_t backlog_limit_;
  std::size_t hold_above_;
  const host_map& host_;
  owned<heap> blocks_;            // null: see `blocks`
  buffer_times* const buffered_;  // null: it is not timed
  const bool notes_frames_;
  std::unique_ptr<router> router_;
  std::unique_ptr<remote_traffic> far_;  // as `owned`, g++ 12 takes an instruction more for a poll that finds nothing
};

/// All of an outbox.
inline outbox& outbox_of(sending& out) noexcept { return static_cast<outbox&>(out); }
inline outbox& outbox_of(const context& self) noexcept { return outbox_of(*self.out); }

template <class Keeps>
void outbox::flush_but(Keeps&& keeps) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < to_flush_.size(); ++i) {
    peer_channel& c = at(to_flush_[i]);
    if (keeps(c)) {
      to_flush_[kept++] = c.index;
    } else {
      c.listed = false;
      push(c);
    }
  }
  to_flush_.resize(kept);
}

}  // namespace armilla::detail
