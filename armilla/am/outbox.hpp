// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "armilla/am/block.hpp"
#include "armilla/am/peer_channel.hpp"
#include "armilla/am/pending.hpp"
#include "armilla/base/context.hpp"
#include "armilla/base/owned.hpp"
#include "armilla/base/peer.hpp"
#include "armilla/base/zeroed_array.hpp"
#include "armilla/stats/counters.hpp"
#include "armilla/stats/stopwatch.hpp"
#include "armilla/stats/trace.hpp"
#include "armilla/wire/shared_range.hpp"

namespace armilla::detail {

struct control_block;
struct endpoint;
struct far_traffic;
class heap;
class router;
struct host_map;

/// What an endpoint takes in: messages for the rank itself, or those for its progress thread (ARMILLA_PROGRESS_MODE=thread).
enum class role { rank, progress_thread };

/// Where a handler's messages may go: to ranks of this program, or to those of all programs, which know its number.
enum class audience : bool { program, job };

/// The sending side of a rank: it appends messages for its peers.
///
/// A `message_writer` gives the place of a message's bytes, the caller fills it at once, and then calls `done` (the message may
/// wait for others) or `publish` (it goes now). Messages to one peer arrive in the order in which their places were given.
///
/// A frame that finds no credit is queued here. The rank's own code then takes in messages until it has left; a body goes on, so
/// that sending never makes it wait (see docs/guide/messages.md).
///
/// Paper: von Eicken's active messages as in the Split-C paper, section 2; aggregation: STAPL, section 6.3.
class outbox {
 public:
  outbox(context& self, const host_map& host, role who);
  ~outbox();
  outbox(const outbox&) = delete;

  context& self;
  pending_ops pending;  ///< operations under way: their replies have not come

  // ---- channels ----

  /// It may be zeros, unless something has come from there: the first send sets it up. Before that none of its fields means
  /// anything but `ready`; `prepared_to` does not wait for a send.
  peer_channel& to(rank_t dest) noexcept { return channels_[std::size_t(dest)]; }
  const peer_channel& to(rank_t dest) const noexcept { return channels_[std::size_t(dest)]; }
  /// What goes to the component that takes in one-sided access and safe bodies: the rank's progress thread, if ranks have one,
  /// else the rank itself.
  peer_channel& to_progress_thread(peer_channel& c) const noexcept { return *(&c + progress_channels_); }
  peer_channel& to_progress_thread(rank_t dest) noexcept { return channels_[std::size_t(dest) + progress_channels_]; }
  const peer_channel& to_progress_thread(rank_t dest) const noexcept { return channels_[std::size_t(dest) + progress_channels_]; }
  /// The channel, set up.
  peer_channel& prepared(peer_channel& c) {
    if (c.peer == nullptr) [[unlikely]]
      set_up(c);
    return c;
  }
  peer_channel& prepared_to(rank_t dest) { return prepared(to(dest)); }
  bool has_progress_threads() const noexcept { return progress_channels_ != 0; }

  /// The channel to `dest`, as `to`, or a usage_error that names `operation` if there is no such rank.
  peer_channel& checked(rank_t dest, const char* operation) {
    if (std::uint32_t(dest) >= callable_) [[unlikely]]
      throw_no_such_rank(dest, operation);
    return channels_[std::size_t(dest)];
  }

  /// What only the rank's own thread may do: a usage_error that names `operation` in a safe body that the progress thread runs.
  void require_own_thread(const char* operation) const {
    if (callable_ == 0) [[unlikely]]
      throw_on_progress_thread(operation);
  }

  bool is_lost(rank_t r) const noexcept { return channels_[std::size_t(r)].lost; }

  /// The channels with an open ring, by index: those to which something was ever sent, or all near ones if `opens_all()`.
  const std::vector<std::uint32_t>& open_rings() const noexcept { return open_rings_; }
  const peer_channel& channel(std::uint32_t index) const noexcept { return channels_[index]; }
  /// Whether all rings are open from the start: where others may follow at their ends, and where a signal's handler sends, which
  /// must not allocate.
  bool opens_all() const noexcept { return opens_all_; }

  // ---- one message ----

  /// Before a send measures what it sends: without credit the rank's own code takes in messages until there is some. The
  /// first send sets up the channel.
  void admit(peer_channel& c) {
    if (!c.ready) [[unlikely]]
      await_credit(c);
  }

  /// The same for a statement. False: it is for a lost rank, in a job that goes on, and is dropped.
  bool admit_statement(peer_channel& c) {
    if (!c.ready) [[unlikely]]
      return admit_statement_slowly(c);
    return true;
  }

  /// What comes next in the open frame begins a bundle of its own, whichever handler it is for.
  void end_bundle(peer_channel& c) noexcept { c.bundle_handler = c.hot_handler = no_handler; }

  /// The message is filled; it travels with the next ones unless its frame is full.
  void done(peer_channel& c) {
    if (c.cursor >= c.limit) [[unlikely]]
      publish(c);
  }

  /// Sends the open frame, if there is one. Without credit the rank's own code takes in messages until the frame has left;
  /// inside a body the frame is queued.
  void publish(peer_channel& c) {
    push(c);
    if (!c.ready) [[unlikely]]
      await_credit(c);
  }

  /// The same out of line, and true: for senders that call nothing else.
  [[gnu::noinline]] bool publish_full(peer_channel& c);

  // ---- what leaves, and what waits for credit ----

  /// Sends every open frame; what finds no credit is queued.
  void flush() {
    if (!to_flush_.empty()) flush_listed();
  }
  void flush(rank_t dest) {
    push(to(dest));
    if (peer_channel* const way = to(dest).way) [[unlikely]]
      push(*way);
    if (progress_channels_ != 0) [[unlikely]]
      push(to_progress_thread(dest));
  }
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
  /// The open frame leaves, or is queued.
  void push(peer_channel& c);
  /// Replies of active messages to the rank of `c`, which are statements, have been put into frames of its way: they leave behind
  /// the frame that is being taken in.
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
  std::size_t queued_for(rank_t r) const noexcept { return channels_[std::size_t(r)].backlog_weight; }
  bool nothing_to_send() const noexcept { return to_flush_.empty() && backlog_channels_ == 0; }
  /// Rank `r` is lost: what is open or queued for it is dropped, what is sent there later is refused.
  void lose(rank_t r) noexcept;
  /// Another rank has taken its place.
  void take_back(rank_t r, std::uint32_t life) noexcept;
  /// How many had the place of rank `r` before it, as this rank has heard.
  std::uint32_t life(rank_t r) const noexcept { return channels_[std::size_t(r)].life; }

  /// After a plain write to memory that rank `r`, which has a place in this host's memory, may be waiting for.
  void notify(rank_t r) {
    auto& sleeper = controls_ != nullptr
                        ? *reinterpret_cast<control_block*>(controls_ + std::size_t(r - first_local_) * control_stride)
                        : scattered_control(r);
    if (detail::notify(sleeper)) ++count_.wakes_sent;
  }

  // ---- long payloads ----

  /// Payloads beyond `eager` go into blocks of `blocks`, which begins `first` bytes into this rank's segment.
  void use_heap(heap blocks, std::uint64_t first) noexcept;
  /// Of which long messages are made; null: the progress thread has none, for a heap has one owner.
  heap* blocks() noexcept { return blocks_.get(); }
  std::size_t eager() const noexcept { return eager_; }
  /// Of this rank's segment what `dest` may read in place.
  shared_range memory_for(rank_t dest) const noexcept;
  /// This rank's segment, of which long parts can be sent from where they lie.
  shared_range own_memory() const noexcept;

  // ---- settings, counts, observers ----

  void set_aggregate(peer kind, std::size_t bytes) noexcept;
  std::size_t aggregate(peer kind) const noexcept;

  const host_map& host() const noexcept { return host_; }
  counters& count() const noexcept { return count_; }
  /// Brings those counters up to date that are kept where they cost less.
  void settle_counts() noexcept;
  stopwatch* watch() const noexcept { return watch_; }  ///< null unless times were asked for
  trace* events() const noexcept { return trace_; }     ///< null unless a trace was asked for
  /// Whether anything but the message itself is to be done on its way: the one test of the usual case.
  bool observed() const noexcept { return observed_; }
  void set_observed(bool observed) noexcept { observed_ = observed; }
  /// Called once a communication call, if `observed`: the STAPL paper's poll at every n-th of them (section 6.2), when asked for.
  void count_call() {
    if (self.each_call != nullptr) self.each_call(self);
  }
  bool in_body() const noexcept { return self.body_depth != 0; }

  // ---- the network ----

  /// The way to ranks that a network reaches; null where every rank is reached by a ring.
  far_traffic* far() noexcept { return far_.get(); }
  const far_traffic* far() const noexcept { return far_.get(); }
  void open_network(endpoint& all, role who);
  void close_network() noexcept;
  /// The ways of statements by other ranks; null: all go straight.
  router* routing() noexcept { return router_.get(); }
  const router* routing() const noexcept { return router_.get(); }
  /// Whether the network may still touch memory of a transfer of `owner`; false where there is no network.
  bool moves_for(const void* owner) const noexcept;

  /// In a child that a body or a fiber of this rank has forked: nothing can be sent.
  void enter_child() noexcept;

 private:
  friend class message_writer;
  friend class outgoing_block;
  friend struct far_traffic;
  friend class router;

  // ---- the places of a message: see message_writer ----

  /// Where the `size` bytes (a multiple of 8) of one message for handler `h` go. Budget: one test, else the slow path.
  /// `kind`: what each message for this handler counts as, if all have this size; others count themselves.
  std::byte* append(peer_channel& c, handler_id h, std::size_t size, traffic kind = traffic::uncounted) {
    std::byte* place = c.cursor;
    if (c.bundle_handler == h && std::size_t(c.limit - place) >= size) [[likely]] {
      c.cursor = place + size;
      return place;
    }
    return append_slowly(c, h, size, kind);
  }

  /// The place of one more message of the open bundle.
  struct bundle_place {
    std::byte* at;  ///< null: it must take the slow path
    bool fills;     ///< nothing else fits: `publish` when it is written. Told here: behind that the channel would be read again.
  };
  /// The same as `append` for one more message of the open bundle, if it needs no more than its bytes.
  bundle_place append_to_bundle(peer_channel& c, handler_id h, std::size_t size) noexcept {
    std::byte* const place = c.cursor;
    const std::size_t room = std::size_t(c.limit - place);
    if (c.hot_handler != h || room < size) [[unlikely]]
      return {nullptr, false};
    if (place == nullptr) __builtin_unreachable();  // a bundle is open
    c.cursor = place + size;
    return {place, room == size};
  }

  /// The longest message that lies in one line of a ring.
  static constexpr std::size_t longest_in_line = link::least_frame - sizeof(bundle_header);

  /// The place of one more message that goes alone, of the kind that went alone last, and of one line, if it needs nothing but
  /// its bytes; else null. `publish_alone` follows.
  ///
  /// Budget: two stores and the arguments into the line, and one for the ring's position. The processor keeps some 64 stores in
  /// flight, and they leave in order: each store more makes fewer lines travel to the other core at a time. Measured: 9, 13, 17
  /// ns a message with 3, 4, 5 stores. Registers that a function saves are stores, too: nothing is called here.
  template <audience To = audience::program>
  std::byte* next_alone(peer_channel& c, handler_id h, std::size_t size) noexcept {
    if (c.alone_handler != h || c.alone_size != size || c.open() || !(To == audience::job ? c.ready : c.direct)) [[unlikely]]
      return nullptr;
    std::byte* const place = c.ring.next_line();
    if (place == nullptr) [[unlikely]]
      return nullptr;
    return put_head(place, h, size);
  }
  /// The same for any message that may go alone, or null when the general way must be taken: a frame is open, there is no
  /// credit, it is too long, the peer is far or of another program.
  template <audience To = audience::program>
  std::byte* begin_alone(peer_channel& c, handler_id h, std::size_t size, traffic kind) {
    if (size <= longest_in_line)
      if (std::byte* const place = next_alone<To>(c, h, size); place != nullptr) [[likely]]
        return place;
    return begin_alone_slowly(c, h, size, kind, To);
  }
  void publish_alone(peer_channel& c, std::size_t size) {
    if (size <= longest_in_line)
      c.ring.publish_line(size + sizeof(bundle_header));
    else
      c.ring.publish(size + sizeof(bundle_header));
    if (is_asleep(*c.peer)) [[unlikely]]
      wake(c);
  }
  /// The bundle's header, in one store; returns what is behind it.
  static std::byte* put_head(std::byte* place, handler_id h, std::size_t size) noexcept {
    const std::uint64_t head = std::uint64_t(size) << 32 | h;
    std::memcpy(place, &head, sizeof head);
    return place + sizeof head;
  }

  // ---- behind them ----

  [[gnu::noinline]] std::byte* append_slowly(peer_channel& c, handler_id h, std::size_t size, traffic kind);
  watermark* start_block(peer_channel& c, handler_id h, std::size_t size);
  [[gnu::cold]] std::byte* append_bulk(peer_channel& c, handler_id h, std::size_t size);
  [[gnu::cold]] void set_up(peer_channel& c);
  [[gnu::cold]] control_block& scattered_control(rank_t r) const noexcept;
  bool has(peer kind) const noexcept;
  [[gnu::cold]] void open_ring(peer_channel& c);
  void open_frame(peer_channel& c, std::size_t need);
  [[gnu::cold]] void await_credit(peer_channel& c);
  [[gnu::cold]] bool admit_statement_slowly(peer_channel& c);
  [[gnu::cold]] void prepare_indirect(peer_channel& c, handler_id h, traffic kind);
  [[gnu::cold]] void refuse_if_spent(const peer_channel& c, handler_id h, traffic kind) const;
  void start_bundle(peer_channel& c, handler_id h, std::size_t size, traffic kind) noexcept;
  void close_bundle(peer_channel& c) noexcept;
  void count_bundle(peer_channel& c) noexcept;
  [[gnu::noinline]] std::byte* begin_alone_slowly(peer_channel& c, handler_id h, std::size_t size, traffic kind, audience to);
  [[gnu::cold]] void wake(const peer_channel& c) noexcept;
  void start_alone(peer_channel& c, handler_id h, std::size_t size, traffic kind) noexcept;
  void count_alone(peer_channel& c) noexcept;
  void count_messages(traffic kind, std::uint64_t messages) noexcept;
  void flush_listed();
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
  [[noreturn, gnu::cold]] void throw_no_such_rank(rank_t dest, const char* operation) const;
  [[noreturn, gnu::cold]] void throw_on_progress_thread(const char* operation) const;

  counters& count_;
  zeroed_array<peer_channel> channels_;                                  // by destination, self included; progress threads behind
  std::vector<std::uint32_t> prepared_;                                  // those that are set up
  static constexpr std::size_t control_stride = std::size_t{16} * 1024;  // host_layout::control_bytes
  std::byte* controls_ = nullptr;      // the control pages of this host's ranks; null: these are no neighbours
  rank_t first_local_ = 0;             // the lowest of them
  std::size_t progress_channels_ = 0;  // channels to progress threads begin here; 0: there are none
  std::uint32_t callable_;  // ranks that a program's own calls may name; of a progress thread 0: it sends nothing but replies
  std::uint32_t backlog_channels_ = 0;
  bool observed_ = false;
  bool more_than_rings_ = false;
  const bool opens_all_;
  std::size_t eager_ = 0;
  stopwatch* watch_;
  trace* trace_;
  std::vector<std::uint32_t> to_flush_;
  std::vector<std::uint32_t> open_rings_;
  std::size_t aggregate_[3];  // by kind of peer
  std::size_t backlog_bytes_ = 0;
  std::size_t backlog_limit_;
  std::size_t hold_above_;
  const host_map& host_;
  owned<heap> blocks_;  // null: see `blocks`
  std::unique_ptr<router> router_;
  std::unique_ptr<far_traffic> far_;  // as `owned`, g++ 12 takes an instruction more for a poll that finds nothing
};

template <class Keeps>
void outbox::flush_but(Keeps&& keeps) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < to_flush_.size(); ++i) {
    peer_channel& c = channels_[to_flush_[i]];
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
