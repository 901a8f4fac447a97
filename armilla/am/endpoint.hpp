// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/am/arrival.hpp"
#include "armilla/am/asked_waits.hpp"
#include "armilla/am/block.hpp"
#include "armilla/am/channel.hpp"
#include "armilla/am/poll_limit.hpp"
#include "armilla/base/context.hpp"
#include "armilla/base/error.hpp"
#include "armilla/fabric/event_count.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fiber/scheduler.hpp"
#include "armilla/ring/heap.hpp"
#include "armilla/stats/counters.hpp"
#include "armilla/stats/stopwatch.hpp"
#include "armilla/stats/trace.hpp"
#include "armilla/wire/reachable.hpp"

namespace armilla::detail {

struct launch;
struct far_traffic;
struct holding;
class method_counts;
class apart_encoder;

/// Whom a handler's records may reach: ranks of this program, or those of all programs, which know its number.
enum class audience : bool { program, job };

/// A rank's place in the message layer: it appends records for its peers, takes in what they send, and waits.
///
/// Sending: `append` gives the place of a record's bytes, the caller fills it at once, and then calls `done` (the record
/// may wait for company) or `publish` (it goes now). Records to one peer arrive in the order of their appending.
///
/// Without credit a send of the rank's own code takes in messages until there is some; a send from inside a body is
/// queued here instead, so that sending never makes a body wait (see docs/guide/messages.md).
///
/// Receiving: bodies run on the stack of the scheduler's loop. One that waits keeps that stack; what was behind it in its run and
/// its frame goes to the next loop (`left_frame`). A fiber that waits and is alone takes in messages itself, on its own stack,
/// but only what cannot wait: at the first body it leaves the frame to the loop, in the same way.
///
/// Paper: von Eicken's active messages as in the Split-C paper, section 2; aggregation: STAPL, section 6.3.
class endpoint {
 public:
  /// Who it is: the rank itself, or the thread that answers for it under ARMILLA_RECEPTION=thread.
  enum class role { rank, attendant };
  endpoint(context& self, const host_map& host, role who = role::rank);
  ~endpoint();
  endpoint(const endpoint&) = delete;

  // ---- sending ----

  channel& to(rank_t dest) noexcept { return channels_[std::size_t(dest)]; }
  /// What goes to the component that takes in one-sided access and safe bodies: the rank's attendant, if ranks have one, else
  /// the rank itself.
  channel& to_attendant(const channel& c) noexcept { return to_attendant(c.to); }
  channel& to_attendant(rank_t dest) noexcept { return channels_[std::size_t(dest) + attendants_]; }

  /// The channel to `dest`, or a usage_error that names `operation` if there is no such rank.
  channel& checked(rank_t dest, const char* operation) {
    if (std::uint32_t(dest) >= callable_) [[unlikely]]
      throw_no_such_rank(dest, operation);
    return channels_[std::size_t(dest)];
  }

  /// What only the rank's own thread may do: a usage_error that names `operation` in a safe body that the attendant runs.
  void require_own_thread(const char* operation) const {
    if (callable_ == 0) [[unlikely]]
      throw_on_attendant(operation);
  }

  /// Before a send measures what it sends: without credit the rank's own code takes in messages until there is some.
  void admit(channel& c) {
    if (c.full) [[unlikely]]
      await_credit(c);
  }

  /// Where the `size` (a multiple of 8) bytes of one item for handler `h` go. Budget: one test, else the slow path.
  /// `kind`: what each item of this handler counts as, if all have this size; others count themselves.
  std::byte* append(channel& c, handler_id h, std::size_t size, traffic kind = traffic::uncounted) {
    std::byte* place = c.cursor;
    if (c.run_handler == h && std::size_t(c.limit - place) >= size) [[likely]] {
      c.cursor = place + size;
      return place;
    }
    return append_slowly(c, h, size, kind);
  }

  /// The place of one more item of the open run.
  struct run_place {
    std::byte* at;  ///< null: it must take the slow path
    bool fills;     ///< nothing else fits: `publish` when it is written. Told here: behind that the channel would be read again.
  };
  /// The same as `append` for one more item of the open run, if it needs no more than its bytes.
  run_place append_to_run(channel& c, handler_id h, std::size_t size) noexcept {
    std::byte* const place = c.cursor;
    const std::size_t room = std::size_t(c.limit - place);
    if (c.hot_handler != h || room < size) [[unlikely]]
      return {nullptr, false};
    if (place == nullptr) __builtin_unreachable();  // a run is open
    c.cursor = place + size;
    return {place, room == size};
  }

  /// A frame for one item that goes alone: its place, or null when the general way must be taken (a frame is open, there is
  /// no credit, it is too long). Then `publish_alone`.
  ///
  /// Budget: two stores into the line and one for the ring's position. The processor keeps some 64 stores in flight, and they
  /// leave in order: each store more makes fewer lines travel to the other core at a time. Measured: 9, 13, 17 ns a message
  /// with 3, 4, 5 stores.
  template <audience To = audience::program>
  std::byte* begin_alone(channel& c, handler_id h, std::size_t size, traffic kind) {
    if (c.open() || (To == audience::job ? c.full : c.blocked) || size > eager_) [[unlikely]]
      return nullptr;
    const ring_writer::room room = c.ring.reserve(size + sizeof(record), size + sizeof(record));
    if (room.begin == nullptr) [[unlikely]]
      return nullptr;
    if (c.alone_handler != h || c.alone_size != size) [[unlikely]]
      start_alone(c, h, size, kind);
    const std::uint64_t head = std::uint64_t(size) << 32 | h;  // a record, in one store
    std::memcpy(room.begin, &head, sizeof head);
    return room.begin + sizeof head;
  }
  void publish_alone(channel& c, std::size_t size) {
    c.ring.publish(size + sizeof(record));
    if (detail::notify(*c.peer)) [[unlikely]]
      ++count_.wakes_sent;
  }

  /// What comes next in the open frame begins a record of its own, whichever handler it is for.
  void end_record(channel& c) noexcept { c.run_handler = c.hot_handler = no_handler; }

  /// The item is filled; it travels with the next ones unless its frame is full.
  void done(channel& c) {
    if (c.cursor >= c.limit) [[unlikely]]
      publish(c);
  }

  /// Sends the open frame, if there is one. Without credit the rank's own code takes in messages until the frame has left;
  /// inside a body the frame is queued.
  void publish(channel& c) {
    push(c);
    if (c.full) [[unlikely]]
      await_credit(c);
  }

  void* begin(rank_t dest, handler_id h, std::size_t size) { return append(to(dest), h, size); }
  void commit(rank_t dest) { done(to(dest)); }

  /// Sends every open frame; what finds no credit is queued.
  void flush() {
    if (!to_flush_.empty()) flush_listed();
  }
  void flush(rank_t dest) {
    push(to(dest));
    if (attendants_ != 0) [[unlikely]]
      push(to_attendant(dest));
  }
  /// Takes in messages until nothing is queued here. Nothing inside a body.
  void drain_all();

  // ---- receiving and waiting ----

  /// One look at every peer; what has come is taken in, and other fibers run, if any can. True if anything was taken in, or has
  /// left that found no credit before; whether others ran does not count. Nothing inside a body, unless that has waited.
  bool poll();
  /// The same, but begins no more bodies and active messages than `most` allows. What is left stays where it is; ranks take
  /// turns.
  bool poll(const poll_limit& most);
  /// A poll that the program has not asked for: ARMILLA_POLL_BUDGET limits it.
  bool poll_unasked();
  /// Of such polls, from now on. 0: no limit.
  void limit_unasked_polls(const unasked_limit& most) noexcept { limits_.unasked = most; }

  /// The attendant's life: takes in its lane, until `stop`. `attended`: where the rank sees how far it is.
  void attend(const std::atomic<bool>& stop, std::atomic<std::uint64_t>* attended);
  std::atomic<std::uint64_t>* attended() noexcept { return attended_.get(); }

  /// From here on, until `end_interruptible`, the rank computes and is interrupted when something comes.
  void begin_interruptible();
  void end_interruptible() noexcept;
  void interrupted() noexcept;  ///< in the signal's handler

  /// Answers other ranks until `done()`; `what` tells reports what this fiber waits for. Flushes first.
  /// `done` has no effects: it is asked as often as the wait needs. Inside a body: that becomes a fiber. `on`: the object, if
  /// any.
  template <class Done>
  void wait_until(Done&& done, const char* what, wait_object on = {}) {
    wait_until_deadline(done, 0, what, on);
  }

  /// The same, but not beyond `deadline_ns` (of `now_ns()`; 0: for ever). Returns `done()`.
  template <class Done>
  bool wait_until_deadline(Done&& done, std::uint64_t deadline_ns, const char* what, wait_object on = {});

  /// The same for an event that wakes the fiber itself: `arm(fiber)` says whom it shall wake.
  template <class Done, class Arm>
  bool wait_woken(Done&& done, Arm&& arm, std::uint64_t deadline_ns, const char* what, wait_object on = {});

  /// After a plain write to memory that rank `r` of this host may be waiting for.
  void notify(rank_t r) {
    if (detail::notify(*channels_[std::size_t(r)].peer)) ++count_.wakes_sent;
  }

  /// Whether the network may still touch memory of a transfer of `owner`; false where there is no network.
  bool moves_for(const void* owner) const noexcept;

  /// An item of `size` bytes to a far rank, of which some elements go straight from this rank's memory; false: not this way.
  bool append_apart(channel& c, handler_id h, std::size_t size, const apart_encoder& item);

  /// What it does towards ranks that a network reaches, if there are any.
  far_traffic& far() noexcept { return *far_; }

  // ---- ranks that are lost ----

  /// Layers that wait for other ranks ask to be told. Called where messages are taken in.
  using loss_listener = void (*)(context& self, rank_t lost);
  void tell_of_losses(loss_listener who) { listeners_.push_back(who); }
  bool is_lost(rank_t r) const noexcept { return channels_[std::size_t(r)].lost; }
  /// The first that was lost, or `no_rank`.
  rank_t first_lost() const noexcept { return first_lost_; }
  /// Throws the rank_lost of a rank that is, as told by whoever saw it.
  [[noreturn, gnu::cold]] void throw_lost(rank_t lost, const char* operation) const;
  std::exception_ptr loss_error(rank_t lost, const char* operation) const;

  /// How this rank sleeps, and for whom it says what it waits for.
  event_count& sleeper() noexcept { return event_count_; }

  // ---- for termination detection ----

  std::uint64_t created()
      const noexcept;  ///< lines of frames that have left for any rank; what is queued makes the endpoint not idle
  std::uint64_t processed() const noexcept;  ///< lines of frames whose bodies have all ended
  std::uint64_t created_for(rank_t r) const noexcept;
  std::uint64_t processed_from(rank_t r) const noexcept;
  /// Bytes that wait here for rank `r` to take in what was sent before, with the blocks that they name.
  std::size_t queued_for(rank_t r) const noexcept { return channels_[std::size_t(r)].spilled_weight; }
  std::uint64_t deferred() const noexcept;  ///< bodies put off, bodies that wait, and fibers that bodies left behind
  bool idle() const noexcept { return to_flush_.empty() && spilled_channels_ == 0; }  ///< nothing waits here to be sent
  void defer() noexcept { ++deferred_; }   ///< a body was put off: its frame does not count as processed
  void resume() noexcept { --deferred_; }  ///< and now it has run

  // ---- settings and state ----

  enum class peer_kind { self, host, network };
  void set_aggregate(peer_kind kind, std::size_t bytes) noexcept;
  std::size_t aggregate(peer_kind kind) const noexcept;
  std::size_t eager() const noexcept { return eager_; }
  void set_stay(bool in_place) noexcept { stay_ = in_place; }
  void every_nth_call_polls(std::uint32_t n) noexcept;

  /// Called once a communication call, if `observed`: the STAPL paper's poll at every n-th of them (section 6.2), when asked for.
  void count_call() {
    if (poll_every_ != 0) [[unlikely]]
      poll_in_turn();
  }

  /// The segment of `source`, if bodies may read it in place; and of this rank for what `dest` may read so.
  reachable memory_of(rank_t source) const noexcept;
  reachable memory_for(rank_t dest) const noexcept;
  /// This rank's segment, of which long parts can be sent from where they lie.
  reachable own_memory() const noexcept;

  context& self() noexcept { return self_; }
  counters& count() noexcept { return count_; }
  stopwatch* watch() const noexcept { return watch_; }  ///< null unless times were asked for
  trace* events() const noexcept { return trace_; }     ///< null unless a trace was asked for
  /// Whether anything but the message itself is to be done on its way: the one test of the usual case.
  bool observed() const noexcept { return observed_; }
  /// One item of a method whose items differ in size has come in.
  void count_item(handler_id h, std::size_t bytes) noexcept {
    if (methods_ != nullptr) [[unlikely]]
      note_item(h, bytes);
  }
  const host_map& host() const noexcept { return host_; }
  /// Payloads beyond `eager` go into blocks of `blocks`, which begins `first` bytes into this rank's segment.
  void use_heap(heap blocks, std::uint64_t first) noexcept;
  /// While a handler runs: its record is all there is in the frame, so a reply need not wait for others.
  bool solo() const noexcept { return solo_; }
  bool in_body() const noexcept { return self_.body_depth != 0; }

  /// In a child that a body or a fiber of this rank has forked: the present frame is left, and nothing can be sent.
  void enter_child() noexcept;

  /// Behind the last fence: what the network still has of this rank's memory comes back.
  void close_network();

  /// Brings those counters up to date that are kept where they cost less.
  void settle_counts() noexcept;

  /// A handler of bodies says where it is in its run: `rest.at` is behind the present item whenever a body begins. If the body
  /// waits, the rest goes to the next loop, and `rest` is empty.
  void begin_bodies(run_rest& rest) noexcept {
    if (arriving_ == nullptr) return;
    if (arriving_->run == nullptr) [[likely]]
      arriving_->run = &rest;
    else if (arriving_->run == &limited_run) [[unlikely]]
      limit_run(rest);
  }
  /// Behind a body of `rest`, if `until` is not its end: whether the next one begins here and now. If not, `rest` is empty: the
  /// body has waited, or the poll's limit is reached.
  [[gnu::cold]] bool goes_on(run_rest& rest) noexcept;
  /// Behind the first body of `rest`: whether another one begins.
  bool next_body(run_rest& rest) noexcept { return rest.at != rest.end && (rest.until == rest.end || goes_on(rest)); }
  /// Whether `rest` tells whether a body of it has waited, and frames are not observed: its answers may be gathered in line.
  bool in_line(const run_rest& rest) const noexcept { return !observed_ && arriving_ != nullptr && arriving_->run == &rest; }
  /// Whether the body that runs has waited: then no frame is being taken in here, and what it sends goes at once.
  bool body_has_waited() const noexcept { return self_.fibers->on_detached_body(); }
  /// Whether the bytes at `place` will be gone when a body that reads them waits: they lie in the ring.
  bool passing(rank_t source, const std::byte* place) const noexcept {
    const std::uint32_t i = inbound_of_[std::size_t(source)];
    if (i == no_ring) [[unlikely]]
      return in_far_frame(place);
    return inbound_[i].reader.holds(place);
  }

  /// For a handler that streams, once and first of all: the block that it shall read, if its bytes are in one. What it reads may
  /// not be there yet.
  incoming_block* take_stream() noexcept { return std::exchange(stream_, nullptr); }

  /// Lets another handler of this program take in what a handler was given.
  void pass_on(rank_t source, handler_id h, const std::byte* data, std::size_t size) {
    if (methods_ != nullptr) [[unlikely]]
      note_run(h, size);
    handlers_.functions[h](*this, source, data, size);
  }

  [[noreturn, gnu::cold]] void throw_damaged(rank_t source, const char* what, std::uint64_t value) const;

 private:
  [[gnu::noinline]] std::byte* append_slowly(channel& c, handler_id h, std::size_t size, traffic kind);
  friend class outgoing_block;
  friend struct parked_runner;
  friend struct far_traffic;
  friend struct holding;
  watermark* start_block(channel& c, handler_id h, std::size_t size);
  [[gnu::cold]] std::byte* append_bulk(channel& c, handler_id h, std::size_t size);
  void open_channel(std::size_t index, rank_t to, int lane, control_block& peer);
  void open_frame(channel& c, std::size_t need);
  void push(channel& c);
  [[gnu::cold]] bool hear_losses();
  [[gnu::cold]] void ask_network();
  void tell_unreachable(rank_t r, const char* why) const;
  void lose(rank_t r);
  void lose(channel& c) noexcept;
  /// Behind a look that found nothing. One test in most, a load in some.
  bool look_for_losses() {
    if ((++count_.idle_polls & 63) != 0 || !event_count_.losses_to_hear()) [[likely]]
      return false;
    return hear_losses();
  }
  [[gnu::cold]] void await_credit(channel& c);
  [[gnu::cold]] void refuse_if_spent(const channel& c, handler_id h, traffic kind) const;
  void start_run(channel& c, handler_id h, std::size_t size, traffic kind) noexcept;
  void close_run(channel& c) noexcept;
  void count_run(channel& c) noexcept;
  [[gnu::noinline]] void start_alone(channel& c, handler_id h, std::size_t size, traffic kind) noexcept;
  void count_alone(channel& c) noexcept;
  void count_items(traffic kind, std::uint64_t items) noexcept;
  [[gnu::cold]] void spill(channel& c, const std::byte* frame, std::size_t bytes, std::size_t blocks);
  [[gnu::cold]] bool leaves(const inbound& in) const noexcept;
  bool to_read(const inbound& in) const noexcept { return in.reader.ready() && !(*in.held && leaves(in)); }
  [[gnu::cold]] bool drain();
  bool drain(channel& c);
  bool drain_near(channel& c);
  std::size_t longest_frame(const channel& c) const noexcept;
  peer_kind kind_of(const channel& c) const noexcept;
  void flush_listed();
  void limit_run(run_rest& rest) noexcept;
  [[gnu::cold]] void put_back(arrival& a, const run_rest& rest);
  std::byte* put_back_near(inbound& in, const std::byte* next) noexcept;
  std::byte* put_back_far(arrival& a, const std::byte* next);
  bool is_work(handler_id h, const std::byte* item, const std::byte* end) const noexcept;
  bool take_up(arrival& a) noexcept;
  [[gnu::cold]] bool may_begin(const arrival& a) const noexcept;
  [[gnu::noinline]] void run_limited(arrival& a, handler_id h, const std::byte* items, std::size_t bytes);
  void note_observers() noexcept;
  enum class outcome { done, late, leave };
  /// The waiting fiber itself takes in what comes, as long as nothing else can go on: no switch. `leave`: it has to switch.
  template <class Done>
  outcome wait_here(Done& done, std::uint64_t deadline_ns);
  bool may_stay() const noexcept;
  bool poll_here();
  /// Inside a parallel region of OpenMP, whose runtime knows this thread's stack: bodies run on it and may not wait.
  template <class Done>
  bool wait_nested(Done& done, std::uint64_t deadline_ns);
  void look_nested();
  void suspend(std::uint64_t deadline_ns, const char* what, wait_object on);
  void run_loop();
  bool look_around();
  bool ask_waits() { return asked_.wake_ended(*self_.fibers); }
  void finish_left();
  void finish(left_frame& left);
  void finish_run(arrival& a, const run_rest& rest);
  bool detach_body() noexcept;

  template <taker By>
  [[gnu::noinline]] bool receive(inbound& in);
  struct frame_scope;
  template <taker By>
  void run_frame(arrival& a);
  void give_back(arrival& a) {
    if (a.in == nullptr) [[unlikely]]
      return give_back_far(a);
    count_.bytes_received += a.bytes;
    a.in->reader.release(a.bytes);
    ++a.in->processed;
  }
  void sleep(const event_count::backoff& backoff, std::uint64_t deadline_ns, bool closed) noexcept {
    if (far_ != nullptr) [[unlikely]]
      return sleep_beside_network(backoff, deadline_ns);
    event_count_.sleep(backoff, deadline_ns, closed);
  }

  // Where a network carries frames, too: far.cpp, far_attendant.cpp.
  void open_network(role who);
  template <taker By>
  [[gnu::noinline]] bool poll_far();
  [[gnu::cold]] void give_back_far(arrival& a);
  bool in_far_frame(const std::byte* place) const noexcept;
  void sleep_beside_network(const event_count::backoff& backoff, std::uint64_t deadline_ns) noexcept;
  bool attend_network();
  void rest_beside_network(const event_count::backoff& backoff) noexcept;
  template <taker By, bool Counted>
  void run_records(arrival& a);
  template <bool Counted>
  void run_bodies(rank_t source, handler_id h, const std::byte* data, std::size_t bytes);
  bool is_counted(const arrival& a) const noexcept;
  [[gnu::cold]] void note_item(handler_id h, std::size_t bytes) noexcept;
  [[gnu::cold]] void note_run(handler_id h, std::size_t bytes) noexcept;
  /// Grows whenever something is taken in, also the end of a frame that a body left, or leaves the queue of what had no credit.
  std::uint64_t progress() const noexcept { return count_.runs_received + finished_ + count_.spilled_bytes - spilled_bytes_; }
  bool anything_to_do() const noexcept;  ///< to take in, or to send as soon as there is credit
  bool anything_has_come() const noexcept;
  void begin_wait(const char* what, wait_object on);
  static bool past(std::uint64_t deadline_ns) noexcept;
  bool poll_as_limited();
  void poll_in_turn();
  void take_bulk(rank_t source, std::uint64_t offset, std::size_t size, std::uint64_t h);
  friend struct bulk_record;
  [[noreturn, gnu::cold]] void throw_no_such_rank(rank_t dest, const char* operation) const;
  [[noreturn, gnu::cold]] void throw_on_attendant(const char* operation) const;

  context& self_;
  counters& count_;
  std::unique_ptr<channel[]> channels_;          // by destination, self included
  std::vector<inbound> inbound_;                 // rings
  std::unique_ptr<std::uint32_t[]> inbound_of_;  // by source: its place there, or
  static constexpr std::uint32_t no_ring = ~0U;
  std::unique_ptr<far_traffic> far_;  ///< null where every rank is reached by a ring
  std::uint32_t callable_;  ///< ranks that a program's own calls may name; of an attendant 0: it sends nothing but answers
  std::size_t channel_count_ = 0;
  std::size_t attendants_ = 0;                              ///< channels to attendants begin here; 0: there are none
  std::unique_ptr<std::atomic<std::uint64_t>[]> attended_;  ///< by rank: lines that the attendant has processed
  std::atomic<std::uint64_t>* attends_ = nullptr;           ///< of the attendant: the same, where it shows them
  handler_table handlers_;
  incoming_block* stream_ = nullptr;
  arrival* arriving_ = nullptr;  ///< the frame that the loop takes in, while it does
  std::optional<left_frame> left_;
  std::uint64_t finished_ = 0;                    ///< left frames that were finished: such a look has seen no ring
  asked_waits asked_;                             ///< fibers whose events no component tells: the loop asks for them
  std::atomic<std::uint32_t> interruptible_ = 0;  ///< shared with the signal's handler
  bool stay_ = true;                              ///< a fiber that waits alone takes in messages itself
  std::vector<std::uint32_t> to_flush_;
  std::uint64_t deferred_ = 0;
  std::uint32_t spilled_channels_ = 0;
  std::uint32_t poll_every_ = 0;
  std::uint32_t until_poll_ = 0;
  bool solo_ = false;           ///< the record that is being handled came alone
  bool observed_ = false;       ///< any of poll_every_, watch_, trace_, methods_, a limit, put_back_
  std::uint32_t put_back_ = 0;  ///< rings whose first frame a poll with a limit has put back
  poll_limits limits_;
  stopwatch* watch_ = nullptr;
  trace* trace_ = nullptr;
  method_counts* methods_ = nullptr;  ///< null unless statistics were asked for
  std::size_t eager_ = 0;
  std::size_t spilled_bytes_ = 0;
  std::size_t spill_limit_ = 0;
  std::size_t backlog_ = 0;
  const host_map& host_;
  heap blocks_;
  std::vector<loss_listener> listeners_;
  rank_t first_lost_ = no_rank;
  bool has_blocks_ = false;  ///< the attendant has none: a heap has one owner
  event_count event_count_;
};

/// The thread that answers for a rank under ARMILLA_RECEPTION=thread; nothing otherwise. Starts after all layers, stops before
/// them.
void start_attendant(context& self, const launch& how);
void stop_attendant(context& self);

/// Whether memory of this host belongs to a rank that is lost.
bool is_of_lost(const context& self, const void* place);

void start_messages(context& self, const launch& how);
void stop_messages(context& self);

}  // namespace armilla::detail

#include "armilla/am/endpoint_wait.hpp"
