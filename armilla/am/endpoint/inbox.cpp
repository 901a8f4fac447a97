// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/inbox.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "armilla/am/endpoint/arrival_order.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/am/handler/method_name.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/pair_weight.hpp"
#include "armilla/stats/method_counts.hpp"
#include "armilla/stats/rank_stats.hpp"

// Model: tests/models/protocols/fence.pml
// Model: tests/models/protocols/credit.pml
// Model: tests/models/order/sleep.rs
namespace armilla::detail {
namespace {

// While bodies run; also when one throws.
struct body_scope {
  explicit body_scope(context& self) : self(self) { ++self.body_depth; }
  ~body_scope() { --self.body_depth; }
  context& self;
};

constexpr int frames_a_look = 32;  // taken from one peer before the next one has its turn

// The lines of a long frame travel together: bodies that read one after the other would wait for each.
void prefetch_lines(const ring_reader::frame& frame) noexcept {
  constexpr std::uint32_t most = 24 * cache_line;  // what the processor can have under way
  for (std::uint32_t at = cache_line; at < frame.bytes && at < most; at += cache_line) __builtin_prefetch(frame.data + at);
}

}  // namespace

// What a progress thread sends is replies, and their callers wait for them.
static constexpr bool never_held = false;
static bool is_of_bodies(const inbound& in) noexcept { return in.held != &never_held; }

delivery::delivery(context& self, sending& out)
    : self(self),
      out(out),
      handlers_(freeze_handlers()),
      methods_(stats_of(self).count_methods(handler_message_sizes, handler_method_name)) {}

inbox::inbox(context& self, outbox& out, role who)
    : delivery(self, out),
      out(out),
      limits{.unasked = {self.settings->poll_budget.bodies, self.settings->poll_budget.ns}},
      count_(*self.count),
      directory_((who == role::rank ? out.host().control(self.rank) : out.host().progress_thread(self.rank)).rings),
      lane_(who == role::rank ? host_layout::to_rank : host_layout::to_progress_thread) {
  const host_map& host = out.host();
  const auto places = std::size_t(self.places);
  inbound_of_ = zeroed_array<std::uint32_t>(places);
  near_ = std::uint32_t(std::count(host.far.get(), host.far.get() + places, false));
  inbound_.reserve(ring_directory::kinds * near_);
  if (out.opens_all())
    for (rank_t r = 0; r < self.places; ++r)
      if (!host.far[std::size_t(r)]) adopt(ring_directory::bodies, r);
  if (out.events() != nullptr) out.events()->name_methods(handlers_.size, handler_method_name, self.places);
  if (out.has_progress_threads()) processed_by_thread_ = std::make_unique<std::atomic<std::uint64_t>[]>(places);
}

// The rings of all that have entered since the last time. Where orders are explored, each look comes here.
void inbox::adopt() {
  const arrival_order* const order = order_of(self);
  explorer* const explores = order != nullptr ? order->explores() : nullptr;
  if (explores != nullptr) {
    explores->begin_look();
    run_late(*explores, no_rank);
  }
  // acquire: pairs with the release in ring_directory::enter
  const std::uint32_t entries = directory_.entries.load(std::memory_order_acquire);
  const local_ranks& locals = out.host().locals();
  for (int kind = 0; kind < ring_directory::kinds; ++kind)
    for (std::size_t i = 0; i < ring_directory::words; ++i) {
      std::uint64_t fresh = directory_.writers[kind][i].load(std::memory_order_relaxed) & ~adopted_[kind][i];
      for (; fresh != 0; fresh &= fresh - 1) {
        const std::uint32_t number = std::uint32_t(64 * i) + std::uint32_t(std::countr_zero(fresh));
        const rank_t source = number < locals.count ? locals.at(local_rank{number}) : rank_t(number);
        if (number >= locals.count || out.host().far[std::size_t(source)])
          throw_damaged(source, "an entry among the rings to this rank", std::uint64_t(kind));
        adopt(kind, source);
      }
    }
  entered_ = explores != nullptr && explores->inside() ? entries - 1 : entries;
}

void inbox::adopt(int kind, rank_t source) {
  const auto number = std::size_t(out.host().local(source));
  adopted_[kind][number / 64] |= std::uint64_t(1) << (number % 64);
  const ring_memory ring =
      out.host().ring(kind == ring_directory::bodies ? lane_ : host_layout::from_progress_thread, source, self.rank);
  inbound_.push_back(
      {ring_reader(ring), source, 0, kind == ring_directory::bodies ? &out.prepared_to(source).holds : &never_held});
  const auto is_before = [&](const inbound& in) {
    return kind != ring_directory::bodies || (is_of_bodies(in) && in.source < source);
  };
  inbound** place = &first_;
  while (*place != nullptr && is_before(**place)) place = &(*place)->after;
  inbound_.back().after = std::exchange(*place, &inbound_.back());
  if (kind != ring_directory::bodies) return;
  inbound_of_[std::size_t(source)] = std::uint32_t(inbound_.size());
  if (out.host().new_rank) inbound_.back().reader.follow(ring);
}

// Also where nothing has ever come from a near rank.
inbound& inbox::ring_of(rank_t source) {
  if (inbound_of_[std::size_t(source)] == 0) adopt(ring_directory::bodies, source);
  return inbound_[inbound_of_[std::size_t(source)] - 1];
}

// Gives a frame back to its ring, unless the loop or another fiber goes on with it.
struct inbox::frame_scope {
  frame_scope(inbox& in, arrival& a) : in(in), a(a), bodies(in.self) {}
  [[gnu::always_inline]] ~frame_scope() {
    if (a.kept) return;
    in.arriving_ = nullptr;
    if (a.in != nullptr) [[likely]] {
      in.count_.bytes_received += a.bytes;
      a.in->reader.release(a.bytes);
      ++a.in->processed;
    } else {
      in.give_back_far(a);
    }
  }
  inbox& in;
  arrival& a;
  body_scope bodies;
};

template <taker By, bool Counted>
inline void inbox::run_bundles(arrival& a) {
  const rank_t source = a.source;
  const std::byte* data = a.at;
  solo_ = true;
  while (data != a.end) {
    bundle_header head;
    if (std::size_t(a.end - data) < sizeof head)
      throw_damaged(source, "bytes behind the last bundle", std::uint64_t(a.end - data));
    std::memcpy(&head, data, sizeof head);
    if (head.handler >= handlers_.size) throw_damaged(source, "a handler's number", head.handler);
    const bool limited = Counted && limits.now != nullptr && handlers_.limited[head.handler] != 0;
    if (limited && limits.bar(source) && is_work(head.handler, data + sizeof head, a.end)) [[unlikely]] {
      a.at = data;
      return put_back(a, {nullptr, nullptr});
    }
    if constexpr (By == taker::in_place)
      if (handlers_.may_wait[head.handler] != 0) {
        a.at = data;
        a.kept = true;
        suspended_.emplace(suspended_frame{a, {nullptr, nullptr}});
        return;
      }
    data += sizeof head;
    if (head.length > std::size_t(a.end - data) || head.length % 8 != 0) throw_damaged(source, "a bundle's length", head.length);
    ++count_.bundles_received;
    if constexpr (Counted)
      if (methods_ != nullptr) note_bundle(head.handler, head.length);
    if constexpr (By == taker::loop) {
      a.at = data + head.length;
      a.handler = head.handler;
      a.bundle = nullptr;
    }
    solo_ = solo_ && data + head.length == a.end;
    if (limited)
      run_limited(a, head.handler, data, head.length);
    else
      run_bodies<Counted>(source, head.handler, data, head.length);
    if constexpr (By == taker::loop || Counted)
      if (a.kept) [[unlikely]]
        return;
    data += head.length;
  }
}

template <taker By>
[[gnu::always_inline]] inline void inbox::take_in(arrival& a) {
  const frame_scope scope(*this, a);
  if constexpr (By == taker::loop) arriving_ = &a;
  if (!out.observed()) [[likely]]
    run_bundles<By, false>(a);
  else
    run_observed<By>(a);
}

template <taker By>
void inbox::run_frame(arrival& a) {
  take_in<By>(a);
}

template <taker By>
[[gnu::noinline]] void inbox::run_observed(arrival& a) {
  if (methods_ != nullptr && count_.bundles_received >= methods_->until) end_sample();
  if (!take_up(a)) {
    arrival_order* const order = order_of(self);
    if (order != nullptr && (!may_begin(a) || !order->take(a.source, count_.polls))) {
      a.kept = true;  // by its ring
      arriving_ = nullptr;
      return;
    }
    if (order != nullptr && order->explores() != nullptr && puts_off(*order->explores(), a)) return;
    if (out.events() != nullptr && is_counted(a)) out.events()->taken(a.source);
  }
  const timed runtime(watch(), component::runtime);
  run_bundles<By, true>(a);
}

template void inbox::run_frame<taker::loop>(arrival&);
template void inbox::run_frame<taker::in_place>(arrival&);

template <taker By>
bool inbox::receive(inbound& in) {
  const peer_channel& back = out.to(in.source);
  for (int i = 0; i < frames_a_look && to_read(in); ++i) {
    const ring_reader::frame frame = in.reader.front();
    if (frame.bytes > least_frame) {  // one line always fits
      if (frame.bytes == frame_pad) {
        in.reader.release_pad();
        continue;
      }
      if (frame.bytes > in.reader.most()) throw_damaged(in.source, "a frame's length", frame.bytes);
      prefetch_lines(frame);
    }
    if (i != 0) in.reader.prefetch();  // a stream: the next lines are on their way while this one is handled
    arrival a(in, frame);
    take_in<By>(a);
    if (a.kept) [[unlikely]]
      return i != 0 || suspended_.has_value();  // a body waited, and this stack is no longer the loop's; or it was put back
    if (back.urgent) send_replies(in.source);
  }
  return true;
}
template bool inbox::receive<taker::loop>(inbound&);
template bool inbox::receive<taker::in_place>(inbound&);

// Frames of the channel from rank to rank, as their sender numbers them: not control messages, what only names a block that has
// come, or those of a progress thread.
bool inbox::is_counted(const arrival& a) const noexcept {
  if (a.in == nullptr) return a.far.bytes != 0 && !a.far.control && a.far.end < std::uint32_t(self.places);
  return inbound_of_[std::size_t(a.source)] == std::uint32_t(a.in - inbound_.data()) + 1;
}

template <bool Counted>
void inbox::run_bodies(rank_t source, handler_id h, const std::byte* data, std::size_t bytes) {
  if constexpr (Counted) {
    if (out.events() != nullptr) {
      out.events()->begin_run(source, h, bytes);
      handlers_.functions[h](*this, source, data, bytes);
      return out.events()->end_run(h);
    }
  }
  handlers_.functions[h](*this, source, data, bytes);
}
template void inbox::run_bodies<true>(rank_t, handler_id, const std::byte*, std::size_t);  // for polls with a limit

void inbox::run_parked(rank_t source, handler_id h, const std::byte* data, std::size_t bytes) {
  const timed runtime(watch(), component::runtime);
  solo_ = false;
  run_bodies<true>(source, h, data, bytes);
}

void inbox::finish_suspended() {
  suspended_frame suspended = *suspended_;
  suspended_.reset();
  finish(suspended);
}

// Not inlined: g++ 14 would not see that `arriving_` forgets this place on the stack before it goes, and warn.
[[gnu::noinline]] void inbox::finish(suspended_frame& suspended) {
  arrival& a = suspended.frame;
  a.kept = false;
  a.bundle = nullptr;
  {
    const frame_scope scope(*this, a);
    const timed runtime(watch(), component::runtime);
    arriving_ = &a;
    if (suspended.rest.at != suspended.rest.end) finish_bundle(a, suspended.rest);
    if (!a.kept) out.observed() ? run_bundles<taker::loop, true>(a) : run_bundles<taker::loop, false>(a);
  }
  if (a.kept) return;
  ++finished_;
  send_replies(a.source);
}

void inbox::finish_bundle(arrival& a, const bundle_rest& rest) {
  const bool limited = limits.now != nullptr && handlers_.limited[a.handler] != 0;
  if (limited && limits.bar(a.source) && is_work(a.handler, rest.at, rest.end)) return put_back(a, rest);
  solo_ = false;
  ++count_.bundles_received;
  const auto bytes = std::size_t(rest.end - rest.at);
  if (limited)
    run_limited(a, a.handler, rest.at, bytes);
  else
    run_bodies<true>(a.source, a.handler, rest.at, bytes);
}

void inbox::enter_child() noexcept {
  if (arrival* const a = arriving(); a != nullptr) {
    arriving_ = nullptr;
    if (a->bundle != nullptr && a->bundle != &limited_bundle) a->bundle->leave_nothing();
    a->kept = true;  // by the rank, which has it all
  }
}

bool inbox::promote_to_fiber() noexcept {
  arrival* const a = arriving();
  if (a == nullptr || a->bundle == nullptr || a->bundle == &limited_bundle) return false;
  suspended_.emplace(suspended_frame{*a, *a->bundle});
  a->bundle->leave_nothing();
  a->kept = true;
  arriving_ = nullptr;
  return true;
}

void inbox::note_observers() noexcept {
  out.set_observed(self.each_call != nullptr || watch() != nullptr || out.events() != nullptr || methods_ != nullptr ||
                   limits.now != nullptr || put_back_ != 0 || order_of(self) != nullptr);
}

bool inbox::anything_has_come() const noexcept {
  arrival_order* const order = out.observed() ? order_of(self) : nullptr;
  if (order != nullptr) order->flush();
  explorer* const explores = order != nullptr ? order->explores() : nullptr;
  if (explores == nullptr && any_entered()) return true;
  for (const inbound& in : inbound_)
    if (to_read(in) && (order == nullptr || in.next != nullptr || order->next_may_be(in.source))) return true;
  return explores != nullptr && !explores->may_sleep();
}

// ---- where orders are explored ----

void inbox::enter_exploration(explorer& explores, bool joins) noexcept {
  explores.enter(joins);
  entered_ = directory_.entries.load(std::memory_order_relaxed) - 1;
}

// A frame has one message there. True: the message is kept, and its frame is over.
bool inbox::puts_off(explorer& explores, arrival& a) {
  bundle_header head;
  if (std::size_t(a.end - a.at) < sizeof head) return false;
  std::memcpy(&head, a.at, sizeof head);
  if (head.handler >= handlers_.size) return false;
  const std::byte* const message = a.at + sizeof head;
  if (head.length == std::size_t(a.end - message)) {
    if (explores.comes_behind(head.handler, message, head.length)) run_late(explores, a.source);
    if (explores.puts_off(a.source, head.handler, message, head.length)) return true;
  }
  explores.note(a.source, head.handler, self.fibers->main().waits_for);
  return false;
}

// Messages that were put off: all of that source, or, without one, those that are due.
void inbox::run_late(explorer& explores, rank_t source) {
  const auto messages = source == no_rank ? explores.take_due() : explores.take_late_of(source);
  for (const explorer::late_message& m : messages) {
    const outside_frames none(*this);
    const body_scope bodies(self);
    solo_ = false;
    run_bodies<true>(m.source, m.handler, m.bytes.data(), m.bytes.size());
  }
  for (const explorer::late_message& m : messages) send_replies(m.source);
}

bool inbox::any_ready() const noexcept {
  return std::any_of(inbound_.begin(), inbound_.end(), [](const inbound& in) { return in.reader.ready(); });
}

// Of two that hold each other back the lower one reads on.
bool inbox::passes_over(const inbound& in) const noexcept {
  const peer_channel& to = out.to(in.source);
  return to.lost || self.rank > in.source || !to.ring.is_unread();
}

bool inbox::is_done_with(rank_t source) {
  if (out.host().far[std::size_t(source)]) return out.far()->link.is_done_with(std::uint32_t(source));
  const inbound& in = ring_of(source);
  return !in.reader.ready() && in.blocks == 0;
}

std::uint64_t inbox::taken_from(rank_t r) const noexcept {
  const std::uint32_t i = inbound_of_[std::size_t(r)];
  if (i != 0) [[likely]]
    return inbound_[i - 1].reader.position();
  return out.host().far[std::size_t(r)] ? out.far()->lines_taken(r) : 0;
}

// What progress threads send is replies, and does not count.
std::uint64_t inbox::weighed_taken() const noexcept {
  std::uint64_t sum = out.far() != nullptr ? out.far()->link.weighed_taken() : 0;
  for (const inbound& in : inbound_)
    if (is_of_bodies(in)) sum += in.reader.position() * pair_weight(std::uint32_t(in.source), std::uint32_t(self.rank));
  return sum;
}

std::uint64_t inbox::frames_taken() const noexcept {
  std::uint64_t sum = out.far() != nullptr ? out.far()->link.frames_taken() : 0;
  for (const inbound& in : inbound_) sum += in.processed;
  return sum;
}

// ---- what handlers ask for ----

// The name of a block does not count: take_block counts what lies in it.
void delivery::note_bundle(handler_id h, std::size_t bytes) noexcept {
  if (h != bulk_handler) methods_->run(h, bytes);
}

void delivery::note_message(handler_id h, std::size_t bytes) noexcept {
  methods_->message(h, bytes);
  if (!methods_->by_index.empty()) note_index(h, bytes);
}

bool delivery::transient(const std::byte* place) const noexcept {
  const auto* const a = static_cast<const arrival*>(arriving_);
  return a != nullptr && (a->in != nullptr ? a->in->reader.holds(place) : place >= a->first && place < a->end);
}

shared_range delivery::memory_of(rank_t source) const noexcept {
  const host_map& host = outbox_of(out).host();
  return {host.segment[std::size_t(source)], host.layout.segment_bytes, out.eager()};
}

void throw_damaged(rank_t source, const char* what, std::uint64_t value) {
  throw_decode(source, "receive",
               fmt::format("{} from rank {} cannot be right ({}); do all ranks run the same build?", what, source, value));
}

void unknown_handler(delivery&, rank_t source, const std::byte*, std::size_t size) {
  throw_damaged(source, "a bundle for a handler that this program does not have, its length", size);
}

}  // namespace armilla::detail
