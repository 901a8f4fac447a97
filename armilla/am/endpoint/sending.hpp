// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "armilla/am/endpoint/pending.hpp"
#include "armilla/am/handler/handler.hpp"
#include "armilla/base/core/context_head.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/fabric/notify.hpp"
#include "armilla/ring/ring_writer.hpp"
#include "armilla/stats/counters.hpp"
#include "armilla/wire/shared_range.hpp"

/// What templates need of the message layer: begin a message, fill it, finish it. The rest is in outbox.hpp, which only the
/// library includes.
///
/// The functions here that are not inline are what happens seldom; they are in outbox.cpp. Add nothing to this file that
/// tests/steps does not show to be worth it: a change of it compiles every program again (tools/rebuild-cost).
namespace armilla::detail {

struct control_block;
class stopwatch;
class trace;

/// Heads a bundle: messages for one handler, one behind the other in a frame, each a multiple of 8 bytes.
struct bundle_header {
  handler_id handler;
  std::uint32_t length;  ///< bytes of the messages
};

/// Bytes that can be read where a frame lies, however short it is.
inline constexpr std::size_t least_frame = cache_line - frame_head;

/// What the messages of a bundle count as. They are counted when the bundle ends, so that appending one costs nothing more.
/// Uncounted ones are counted by their senders. Replies leave where a body may send no more: the rings bound them.
enum class traffic : std::uint8_t {
  uncounted,
  uncounted_one_way_calls,
  one_way_calls,
  two_way_calls,
  replies,
  uncounted_replies
};
constexpr bool is_one_way_call(traffic k) noexcept {
  return k == traffic::one_way_calls || k == traffic::uncounted_one_way_calls;
}
constexpr bool is_reply(traffic k) noexcept { return k == traffic::replies || k == traffic::uncounted_replies; }

/// Where a handler's messages may go: to ranks of this program, or to those of all programs, which know its number.
enum class audience : bool { program, job };

/// The part of a peer_channel that a message touches on its way out.
///
/// Messages of the open bundle are appended at `cursor` as long as they end before `limit`. With no frame open both are null
/// and `bundle_handler` is `no_handler`, so that one comparison sends every first message to the slower path.
struct channel_head {
  rank_t to = 0;
  std::uint32_t index = 0;        ///< in the outbox's table
  bool far = false;               ///< a network carries its frames; there is no ring
  control_block* peer = nullptr;  ///< where the peer says whether it sleeps
  ring_writer ring;               ///< in memory that both map
  std::byte* cursor = nullptr;
  std::byte* limit = nullptr;
  handler_id bundle_handler = no_handler;
  handler_id hot_handler = no_handler;  ///< bundle_handler, if one more message needs only its bytes: no observer counts it
  bool urgent = false;                  ///< the open frame holds a reply: it leaves when the present frame has been handled
  bool ready = false;                   ///< set up, and no frames wait for credit: nothing may pass those
  bool direct = false;         ///< ready, with an open ring to a peer of this program; else the general way is to be taken
  bool lost = false;           ///< no rank is in its place: not ready until one joins there; sends throw rank_lost
  std::uint32_t life = 0;      ///< of its rank: see membership.hpp
  std::byte* frame = nullptr;  ///< first byte of the open frame
  std::size_t aggregate = 0;   ///< bytes after which a frame of small messages is sent
  // Messages that go straight into the ring are not counted one by one: the ring's position tells how many there were.
  handler_id alone_handler = no_handler;
  std::uint32_t alone_size = 0;

  bool open() const noexcept { return frame != nullptr; }
};

/// How far apart the channels of a rank are.
inline constexpr std::size_t channel_stride = 5 * cache_line;

/// The sending side of a rank, as far as templates know it: the base of its outbox.
///
/// A `message_writer` gives the place of a message's bytes, the caller fills it at once, and then calls `done` (the message may
/// wait for others) or `publish` (it goes now). Messages to one peer arrive in the order in which their places were given.
class sending {
 public:
  sending(const sending&) = delete;

  context& self;
  pending_ops pending;  ///< operations under way: their replies have not come

  // ---- channels ----

  /// It may be zeros, unless something has come from there: the first send sets it up. Before that none of its fields means
  /// anything but `ready`.
  channel_head& to(rank_t dest) noexcept { return channel_at(std::size_t(dest)); }
  const channel_head& to(rank_t dest) const noexcept { return channel_at(std::size_t(dest)); }
  /// What goes to the component that takes in one-sided access and safe bodies: the rank's progress thread, if it has one for
  /// this rank, else the rank itself.
  channel_head& to_progress_thread(channel_head& c) const noexcept {
    return progress_channels_ == 0 ? c : progress_channel_of(c);
  }
  bool has_progress_threads() const noexcept { return progress_channels_ != 0; }

  /// The channel to `dest`, as `to`, or a usage_error that names `operation` if there is no such rank.
  channel_head& checked(rank_t dest, const char* operation) {
    if (std::uint32_t(dest) >= callable_) [[unlikely]]
      throw_no_such_rank(dest, operation);
    return to(dest);
  }

  /// What only the rank's own thread may do: a usage_error that names `operation` in a safe body that the progress thread runs.
  void require_own_thread(const char* operation) const {
    if (callable_ == 0) [[unlikely]]
      throw_on_progress_thread(operation);
  }

  bool is_lost(rank_t r) const noexcept { return to(r).lost; }
  /// How many had the place of rank `r` before it, as this rank has heard.
  std::uint32_t life(rank_t r) const noexcept { return to(r).life; }

  // ---- one message ----

  /// Before a send measures what it sends: without credit the rank's own code takes in messages until there is some. The
  /// first send sets up the channel.
  void admit(channel_head& c) {
    if (!c.ready) [[unlikely]]
      await_credit(c);
  }

  /// The same for a one-way call. False: it is for a lost rank, in a job that goes on, and is dropped.
  bool admit_one_way_call(channel_head& c) {
    if (!c.ready) [[unlikely]]
      return admit_one_way_call_slowly(c);
    return true;
  }

  /// What comes next in the open frame begins a bundle of its own, whichever handler it is for.
  void end_bundle(channel_head& c) noexcept { c.bundle_handler = c.hot_handler = no_handler; }

  /// The message is filled; it travels with the next ones unless its frame is full.
  void done(channel_head& c) {
    if (c.cursor >= c.limit) [[unlikely]]
      publish(c);
  }

  /// Sends the open frame, if there is one. Without credit the rank's own code takes in messages until the frame has left;
  /// inside a body the frame is queued.
  void publish(channel_head& c) {
    push(c);
    if (!c.ready) [[unlikely]]
      await_credit(c);
  }

  /// The same out of line, and true: for senders that call nothing else.
  [[gnu::noinline]] bool publish_full(channel_head& c);

  // ---- what leaves ----

  /// Sends every open frame; what finds no credit is queued.
  void flush() {
    if (!to_flush_.empty()) flush_listed();
  }
  /// The same of those to one rank.
  void flush(rank_t dest);
  /// The open frame leaves, or is queued.
  void push(channel_head& c);

  /// After a plain write to memory that rank `r`, which has a place in this host's memory, may be waiting for.
  void notify(rank_t r) {
    auto& sleeper = controls_ != nullptr
                        ? *reinterpret_cast<control_block*>(controls_ + std::size_t(r - first_local_) * control_stride)
                        : scattered_control(r);
    if (detail::notify(sleeper)) ++count_.wakes_sent;
  }

  // ---- long payloads ----

  /// Payloads beyond this go into blocks.
  std::size_t eager() const noexcept { return eager_; }
  /// Of this rank's segment what `dest` may read in place.
  shared_range memory_for(rank_t dest) const noexcept;
  /// This rank's segment, of which long parts can be sent from where they lie.
  shared_range own_memory() const noexcept;

  // ---- counts, observers ----

  counters& count() const noexcept { return count_; }
  stopwatch* watch() const noexcept { return watch_; }  ///< null unless times were asked for
  trace* events() const noexcept { return trace_; }     ///< null unless a trace was asked for
  /// Whether anything but the message itself is to be done on its way: the one test of the usual case.
  bool observed() const noexcept { return observed_; }
  /// Called once a communication call, if `observed`: the STAPL paper's poll at every n-th of them (section 6.2), when asked for.
  void count_call();

 protected:
  sending(context& self, std::uint32_t callable, std::size_t eager) noexcept;
  ~sending() = default;

  channel_head& channel_at(std::size_t index) const noexcept {
    return *reinterpret_cast<channel_head*>(channels_ + index * channel_stride);
  }
  channel_head& progress_channel_of(channel_head& c) const noexcept;

  counters& count_;
  std::byte* channels_ = nullptr;      // by destination, self included; those to progress threads are behind them
  std::byte* controls_ = nullptr;      // the control pages of this host's ranks; null: these are no neighbours
  rank_t first_local_ = 0;             // the lowest of them
  std::uint32_t callable_;             // ranks that a program's own calls may name; of a progress thread 0: it sends only replies
  std::size_t progress_channels_ = 0;  // channels to progress threads begin here; 0: there are none
  std::size_t eager_;
  stopwatch* watch_;
  trace* trace_;
  bool observed_ = false;
  std::vector<std::uint32_t> to_flush_;                                  // channels with an open frame
  static constexpr std::size_t control_stride = std::size_t{16} * 1024;  // host_layout::control_bytes

 private:
  friend class message_writer;

  // ---- the places of a message: see message_writer ----

  /// Where the `size` bytes (a multiple of 8) of one message for handler `h` go. Budget: one test, else the slow path.
  /// `kind`: what each message for this handler counts as, if all have this size; others count themselves.
  std::byte* append(channel_head& c, handler_id h, std::size_t size, traffic kind) {
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
  bundle_place append_to_bundle(channel_head& c, handler_id h, std::size_t size) noexcept {
    std::byte* const place = c.cursor;
    const std::size_t room = std::size_t(c.limit - place);
    if (c.hot_handler != h || room < size) [[unlikely]]
      return {nullptr, false};
    if (place == nullptr) __builtin_unreachable();  // a bundle is open
    c.cursor = place + size;
    return {place, room == size};
  }

  /// The longest message that lies in one line of a ring.
  static constexpr std::size_t longest_in_line = least_frame - sizeof(bundle_header);

  /// The place of one more message that goes alone, of the kind that went alone last, and of one line, if it needs nothing but
  /// its bytes; else null. `publish_alone` follows.
  ///
  /// Budget: two stores and the arguments into the line, and one for the ring's position. The processor keeps some 64 stores in
  /// flight, and they leave in order: each store more makes fewer lines travel to the other core at a time. Measured: 9, 13, 17
  /// ns a message with 3, 4, 5 stores. Registers that a function saves are stores, too: nothing is called here.
  template <audience To = audience::program>
  std::byte* next_alone(channel_head& c, handler_id h, std::size_t size) noexcept {
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
  std::byte* begin_alone(channel_head& c, handler_id h, std::size_t size, traffic kind) {
    if (size <= longest_in_line)
      if (std::byte* const place = next_alone<To>(c, h, size); place != nullptr) [[likely]]
        return place;
    return begin_alone_slowly(c, h, size, kind, To);
  }
  void publish_alone(channel_head& c, std::size_t size) {
    if (size <= longest_in_line)
      c.ring.publish_line(size + sizeof(bundle_header));
    else
      c.ring.publish(size + sizeof(bundle_header));
    if (is_asleep(*c.peer)) [[unlikely]]
      wake(c);
  }

  // ---- behind them ----

  [[gnu::noinline]] std::byte* append_slowly(channel_head& c, handler_id h, std::size_t size, traffic kind);
  [[gnu::noinline]] std::byte* begin_alone_slowly(channel_head& c, handler_id h, std::size_t size, traffic kind, audience to);
  [[gnu::cold]] void await_credit(channel_head& c);
  [[gnu::cold]] bool admit_one_way_call_slowly(channel_head& c);
  [[gnu::cold]] void wake(const channel_head& c) noexcept;
  [[gnu::cold]] control_block& scattered_control(rank_t r) const noexcept;
  void flush_listed();
  [[noreturn, gnu::cold]] void throw_no_such_rank(rank_t dest, const char* operation) const;
  [[noreturn, gnu::cold]] void throw_on_progress_thread(const char* operation) const;

 protected:
  /// The bundle's header, in one store; returns what is behind it.
  static std::byte* put_head(std::byte* place, handler_id h, std::size_t size) noexcept {
    const std::uint64_t head = std::uint64_t(size) << 32 | h;
    std::memcpy(place, &head, sizeof head);
    return place + sizeof head;
  }
};

}  // namespace armilla::detail
