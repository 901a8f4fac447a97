// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "armilla/am/endpoint/delivery.hpp"
#include "armilla/am/endpoint/outbox.hpp"
#include "armilla/am/endpoint/poll_limit.hpp"
#include "armilla/am/handler/arrival.hpp"
#include "armilla/boot/host/control_block.hpp"

namespace armilla::detail {

class explorer;

/// The receiving side of a rank: looks at all peers, takes in frames, and calls the handlers of their bundles.
///
/// Bodies run on the stack of the scheduler's loop. One that waits keeps that stack; what is behind it in its bundle and its
/// frame goes to the next loop (`suspended_frame`). A fiber that waits and is alone takes in messages itself, on its own stack,
/// but only what cannot wait: at the first body it leaves the frame to the loop, in the same way.
class inbox : public delivery {
 public:
  inbox(context& self, outbox& out, role who);
  inbox(const inbox&) = delete;

  outbox& out;  ///< the same as what handlers see of it

  // ---- looks ----

  /// One look at every peer, and at what is queued for them; true if anything was taken in or has left. It ends where
  /// `must_stop()`, which is asked behind each peer that had something.
  template <taker By, class MustStop>
  bool look(MustStop&& must_stop);
  /// What the last look that ended at a ring has not seen: the rings behind that, the network, what is queued.
  template <taker By, class MustStop>
  bool look_on(MustStop&& must_stop);
  /// Whether anything waits to be taken in.
  bool anything_has_come() const noexcept;
  /// The rings alone, one peer after the other, as long as `goes_on(inbound&)` behind each that had something. False: it did not.
  /// Sets `any` where something was taken in.
  template <taker By, class GoesOn>
  bool look_at_rings(bool& any, GoesOn&& goes_on);
  template <taker By, class GoesOn>
  bool look_at_rings_from(inbound* first, bool& any, GoesOn&& goes_on);
  template <taker By>
  [[gnu::noinline]] bool poll_far();

  // ---- frames whose bodies wait ----

  bool has_suspended() const noexcept { return suspended_.has_value(); }
  /// Goes on where a body has waited, or where a fiber left off: with the rest of that bundle, and then with what is behind it.
  void finish_suspended();
  /// Suspended frames that were finished: such a look has seen no ring.
  std::uint64_t finished() const noexcept { return finished_; }
  /// The scheduler's loop becomes the fiber of the body that runs on it; false: what runs there may not wait.
  bool promote_to_fiber() noexcept;

  // ---- for frames and calls that no ring brings ----

  template <taker By>
  void run_frame(arrival& a);
  /// The replies to a frame that has been handled leave.
  void send_replies(rank_t source) {
    peer_channel& back = out.to(source);
    if (!back.urgent) return;
    if (back.way != nullptr && !back.open()) [[unlikely]]
      return out.send_routed_replies(back);
    out.push(back);
  }
  /// The bodies of one bundle.
  template <bool Counted>
  void run_bodies(rank_t source, handler_id h, const std::byte* data, std::size_t bytes);
  /// A message that has come by way of other ranks.
  void run_routed(rank_t source, handler_id h, const std::byte* data, std::size_t bytes);
  /// The bundle that is being run, and what is behind it in the frame, which a network has brought, wait until the routed
  /// messages in front of them have begun.
  void put_off(rank_t source, const std::byte* data, std::size_t bytes);
  /// A call that was put off runs on a stack of its own.
  void run_parked(rank_t source, handler_id h, const std::byte* data, std::size_t bytes);
  /// Whether the body that runs, if any, may become a fiber.
  bool may_leave_body() const noexcept {
    return self.body_depth == 0 || body_has_waited() || (arriving_ != nullptr && arriving_->bundle != nullptr);
  }
  /// While it lives, what runs on this stack belongs to no frame: it may not wait.
  struct outside_frames {
    explicit outside_frames(inbox& i) noexcept : all(i), outer(std::exchange(i.arriving_, nullptr)) {}
    ~outside_frames() { all.arriving_ = outer; }
    inbox& all;
    taken_frame* outer;
  };
  void take_block(rank_t source, std::uint64_t offset, std::size_t size, std::uint64_t h);
  std::uint32_t handlers() const noexcept { return handlers_.size; }

  // ---- limits, counts, observers ----

  poll_limits limits;
  /// Says in the outbox whether frames are observed.
  void note_observers() noexcept;
  /// From now on `counts` counts by method, until it has enough. Null: only the rank's own statistics do. Not inside a bundle.
  void count_methods(method_counts* counts) noexcept;
  /// Lines of frames from rank `r` that have been taken in.
  std::uint64_t taken_from(rank_t r) const noexcept;
  /// The same from all ranks, each weighed by `pair_weight`.
  std::uint64_t weighed_taken() const noexcept;
  std::uint64_t frames_taken() const noexcept;
  /// No other rank is near, and this one's own ring is empty.
  bool only_network_to_look_at() const noexcept { return near_ == 1 && !any_entered() && !any_ready(); }
  /// Whether a near rank that is lost has nothing left here: no frame, and no block that is being read.
  bool is_done_with(rank_t source);
  /// Whether no frame of a near rank is left that has not been taken in.
  bool has_read_all_of(rank_t source) { return !ring_of(source).reader.ready(); }
  /// Tells a near rank that nothing is read from it, or that it is again.
  void set_unread(rank_t source, bool unread) { ring_of(source).reader.set_unread(unread); }

  // ---- progress threads ----

  /// Of a rank that has one: by rank, lines that the progress thread has processed.
  std::atomic<std::uint64_t>* processed_by_thread() const noexcept { return processed_by_thread_.get(); }
  /// Of the progress thread: where it shows them. Null: this is the rank's own.
  std::atomic<std::uint64_t>* shows_processed = nullptr;

  /// From now on each look begins with the others' turns.
  void enter_exploration(explorer& explores, bool joins) noexcept;

  /// In a child that a body or a fiber of this rank has forked: the present frame is left.
  void enter_child() noexcept;

 private:
  /// The frame that is being taken in, or null.
  arrival* arriving() const noexcept { return static_cast<arrival*>(arriving_); }
  struct frame_scope;
  friend class delivery;
  template <taker By, class MustStop>
  bool look_beyond_rings(bool any, MustStop&& must_stop);
  template <taker By>
  bool take_far();
  template <taker By>
  [[gnu::noinline]] bool receive(inbound& in);
  bool any_entered() const noexcept { return directory_.entries.load(std::memory_order_relaxed) != entered_; }
  bool any_ready() const noexcept;
  [[gnu::cold]] void adopt();
  void adopt(int kind, rank_t source);
  inbound& ring_of(rank_t source);
  template <taker By>
  void take_in(arrival& a);
  template <taker By>
  void run_observed(arrival& a);
  template <taker By, bool Counted>
  void run_bundles(arrival& a);
  [[gnu::cold]] void give_back_far(arrival& a);
  [[gnu::cold]] bool puts_off(explorer& explores, arrival& a);
  [[gnu::cold]] void run_late(explorer& explores, rank_t source);
  [[gnu::cold]] bool passes_over(const inbound& in) const noexcept;
  bool to_read(const inbound& in) const noexcept { return in.reader.ready() && !(*in.held && passes_over(in)); }
  void finish(suspended_frame& suspended);
  void finish_bundle(arrival& a, const bundle_rest& rest);
  bool is_counted(const arrival& a) const noexcept;
  [[gnu::cold]] void end_sample() noexcept;
  [[gnu::cold]] void put_back(arrival& a, const bundle_rest& rest);
  std::byte* put_back_near(inbound& in, const std::byte* next) noexcept;
  std::byte* put_back_far(arrival& a, const std::byte* next);
  [[gnu::cold]] void take_up_far();
  template <taker By>
  [[gnu::cold]] bool take_late();
  bool is_work(handler_id h, const std::byte* message, const std::byte* end) const noexcept;
  bool take_up(arrival& a) noexcept;
  [[gnu::cold]] bool may_begin(const arrival& a) const noexcept;
  [[gnu::noinline]] void run_limited(arrival& a, handler_id h, const std::byte* messages, std::size_t bytes);

  counters& count_;
  const ring_directory& directory_;
  const host_layout::lane lane_;            // of the bodies
  std::uint32_t entered_ = 0;               // entries of it that have been seen
  std::vector<inbound> inbound_;            // rings whose writers have entered; never moved: frames and fibers point here
  inbound* first_ = nullptr;                // of them in the order of looks: by source, replies of progress threads last
  zeroed_array<std::uint32_t> inbound_of_;  // by source: its place in `inbound_`, from 1; 0: there is no ring
  std::uint64_t adopted_[ring_directory::kinds][ring_directory::words] = {};
  std::uint32_t near_ = 0;  // ranks of this host
  std::optional<suspended_frame> suspended_;
  std::uint64_t finished_ = 0;
  std::uint32_t put_back_ = 0;         // rings whose first frame a poll with a limit has put back
  const inbound* ended_at_ = nullptr;  // where the last look ended that did not see all
  std::unique_ptr<std::atomic<std::uint64_t>[]> processed_by_thread_;
};

template <taker By, class GoesOn>
[[gnu::always_inline]] inline bool inbox::look_at_rings(bool& any, GoesOn&& goes_on) {
  if (any_entered()) [[unlikely]]
    adopt();
  return look_at_rings_from<By>(first_, any, goes_on);
}

template <taker By, class GoesOn>
[[gnu::always_inline]] inline bool inbox::look_at_rings_from(inbound* first, bool& any, GoesOn&& goes_on) {
  for (inbound* in = first; in != nullptr; in = in->after) {
    if (!to_read(*in)) continue;
    any |= receive<By>(*in);
    if (!goes_on(*in)) [[unlikely]] {
      ended_at_ = in;
      return false;
    }
  }
  return true;
}

template <taker By, class MustStop>
inline bool inbox::look(MustStop&& must_stop) {
  ++count_.polls;
  bool any = false;
  if (!look_at_rings<By>(any, [&](const inbound&) { return !must_stop(); })) return true;
  return look_beyond_rings<By>(any, must_stop);
}

template <taker By, class MustStop>
inline bool inbox::look_on(MustStop&& must_stop) {
  ++count_.polls;
  bool any = false;
  inbound* const from = ended_at_ == nullptr ? first_ : ended_at_->after;
  if (!look_at_rings_from<By>(from, any, [&](const inbound&) { return !must_stop(); })) return true;
  return look_beyond_rings<By>(any, must_stop);
}

template <taker By, class MustStop>
[[gnu::always_inline]] inline bool inbox::look_beyond_rings(bool any, MustStop&& must_stop) {
  if (!out.more_than_rings()) [[likely]]
    return any;
  if (out.far() != nullptr) {
    any |= poll_far<By>();
    if (must_stop()) return true;
  }
  if (out.any_queued()) any |= out.drain();
  return any;
}

}  // namespace armilla::detail
