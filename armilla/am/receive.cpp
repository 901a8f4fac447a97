// SPDX-License-Identifier: Apache-2.0
// How frames are taken in.
#include <utility>

#include "armilla/am/arrival_order.hpp"
#include "armilla/base/forked.hpp"
#include "armilla/stats/method_counts.hpp"

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

template <taker By>
bool endpoint::receive(inbound& in) {
  for (int i = 0; i < frames_a_look && to_read(in); ++i) {
    const ring_reader::frame frame = in.reader.front();
    if (frame.bytes == frame_pad) {
      in.reader.release(frame_pad);
      continue;
    }
    if (frame.bytes > in.reader.most()) throw_damaged(in.source, "a frame's length", frame.bytes);
    prefetch_lines(frame);
    if (i != 0) in.reader.prefetch();  // a stream: the next lines are on their way while this one is handled
    arrival a{&in, in.source, frame.bytes, frame.data, frame.data + frame.bytes, {}};
    run_frame<By>(a);
    if (a.kept) [[unlikely]]
      return i != 0 || left_.has_value();  // a body waited, and this stack is no longer the loop's; or it was put back
    channel& back = channels_[std::size_t(in.source)];
    if (back.urgent) push(back);
  }
  return true;
}
template bool endpoint::receive<taker::loop>(inbound&);
template bool endpoint::receive<taker::in_place>(inbound&);

// Gives a frame back to its ring, unless the loop or another fiber goes on with it.
struct endpoint::frame_scope {
  frame_scope(endpoint& self, arrival& a) : self(self), a(a), bodies(self.self_) {}
  ~frame_scope() {
    if (a.kept) return;
    self.arriving_ = nullptr;
    self.give_back(a);
  }
  endpoint& self;
  arrival& a;
  body_scope bodies;
};

template <taker By>
void endpoint::run_frame(arrival& a) {
  const frame_scope scope(*this, a);
  if constexpr (By == taker::loop) arriving_ = &a;
  if (!observed_) [[likely]]
    return run_records<By, false>(a);
  if (!take_up(a)) {
    arrival_order* const order = order_of(self_, this);
    if (order != nullptr && (!may_begin(a) || !order->take(a.source, count_.polls))) {
      a.kept = true;  // by its ring
      arriving_ = nullptr;
      return;
    }
    if (trace_ != nullptr && is_counted(a)) trace_->taken(a.source);
  }
  const timed runtime(watch_, component::runtime);
  run_records<By, true>(a);
}

// Frames of the channel from rank to rank, as their sender numbers them: not asides, what only names a block that has come, or
// those of an attendant.
bool endpoint::is_counted(const arrival& a) const noexcept {
  if (a.in == nullptr) return a.far.bytes != 0 && !a.far.aside && a.far.end < std::uint32_t(self_.ranks);
  return a.in == &inbound_[inbound_of_[std::size_t(a.source)]];
}

// One run of bodies.
template <bool Counted>
void endpoint::run_bodies(rank_t source, handler_id h, const std::byte* data, std::size_t bytes) {
  if constexpr (Counted) {
    if (trace_ != nullptr) {
      trace_->begin_run(source, h, bytes);
      handlers_.functions[h](*this, source, data, bytes);
      return trace_->end_run(h);
    }
  }
  handlers_.functions[h](*this, source, data, bytes);
}
template void endpoint::run_bodies<true>(rank_t, handler_id, const std::byte*,
                                         std::size_t);  // for parked calls, and polls with a limit

template <taker By, bool Counted>
void endpoint::run_records(arrival& a) {
  const rank_t source = a.source;
  const std::byte* data = a.at;
  solo_ = true;
  while (data != a.end) {
    record head;
    if (std::size_t(a.end - data) < sizeof head)
      throw_damaged(source, "bytes behind the last record", std::uint64_t(a.end - data));
    std::memcpy(&head, data, sizeof head);
    if (head.handler >= handlers_.size) throw_damaged(source, "a handler's number", head.handler);
    const bool limited = Counted && limits_.now != nullptr && handlers_.limited[head.handler] != 0;
    if (limited && limits_.bar(source) && is_work(head.handler, data + sizeof head, a.end)) [[unlikely]] {
      a.at = data;
      return put_back(a, {nullptr, nullptr});
    }
    if constexpr (By == taker::in_place)
      if (handlers_.may_wait[head.handler] != 0) {
        a.at = data;
        a.kept = true;
        left_.emplace(left_frame{a, {nullptr, nullptr}});
        return;
      }
    data += sizeof head;
    if (head.length > std::size_t(a.end - data) || head.length % 8 != 0) throw_damaged(source, "a record's length", head.length);
    ++count_.runs_received;
    if constexpr (Counted)
      if (methods_ != nullptr) note_run(head.handler, head.length);
    if constexpr (By == taker::loop) {
      a.at = data + head.length;
      a.handler = head.handler;
      a.run = nullptr;
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

// Goes on where a body has waited, or where a fiber left off: with the rest of that run, and then with what is behind it.
void endpoint::finish_left() {
  left_frame left = *left_;
  left_.reset();
  finish(left);
}

// Apart, since g++ 14 does not see that `arriving_` forgets this place on the stack before it goes, and warns where it is
// inlined.
[[gnu::noinline]] void endpoint::finish(left_frame& left) {
  arrival& a = left.frame;
  a.kept = false;
  a.run = nullptr;
  {
    const frame_scope scope(*this, a);
    const timed runtime(watch_, component::runtime);
    arriving_ = &a;
    if (left.rest.at != left.rest.end) finish_run(a, left.rest);
    if (!a.kept) observed_ ? run_records<taker::loop, true>(a) : run_records<taker::loop, false>(a);
  }
  if (a.kept) return;
  ++finished_;
  channel& back = channels_[std::size_t(a.source)];
  if (back.urgent) push(back);
}

void endpoint::finish_run(arrival& a, const run_rest& rest) {
  const bool limited = limits_.now != nullptr && handlers_.limited[a.handler] != 0;
  if (limited && limits_.bar(a.source) && is_work(a.handler, rest.at, rest.end)) return put_back(a, rest);
  solo_ = false;
  ++count_.runs_received;
  const auto bytes = std::size_t(rest.end - rest.at);
  if (limited)
    run_limited(a, a.handler, rest.at, bytes);
  else
    run_bodies<true>(a.source, a.handler, rest.at, bytes);
}

void endpoint::enter_child() noexcept {
  if (arrival* const a = std::exchange(arriving_, nullptr); a != nullptr) {
    if (a->run != nullptr && a->run != &limited_run) a->run->leave_nothing();
    a->kept = true;  // by the rank, which has it all
  }
  (void)channels_.release();
  channels_.reset(static_cast<channel*>(nowhere(channel_count_ * sizeof(channel))));
}

// The scheduler's loop becomes the fiber of the body that runs on it.
bool endpoint::detach_body() noexcept {
  arrival* const a = arriving_;
  if (a == nullptr || a->run == nullptr || a->run == &limited_run) return false;
  left_.emplace(left_frame{*a, *a->run});
  a->run->leave_nothing();
  a->kept = true;
  arriving_ = nullptr;
  return true;
}

// A bulk record only names what take_bulk then counts.
void endpoint::note_run(handler_id h, std::size_t bytes) noexcept {
  if (h != bulk_handler) methods_->run(h, bytes);
}

void endpoint::note_item(handler_id h, std::size_t bytes) noexcept { methods_->item(h, bytes); }

void endpoint::note_observers() noexcept {
  observed_ = poll_every_ != 0 || watch_ != nullptr || trace_ != nullptr || methods_ != nullptr || limits_.now != nullptr ||
              put_back_ != 0 || order_of(self_, this) != nullptr;
}

void endpoint::every_nth_call_polls(std::uint32_t n) noexcept {
  poll_every_ = until_poll_ = n;
  self_.each_call = n == 0 ? nullptr : +[](context& c) { c.messages->count_call(); };
  note_observers();
}

void endpoint::poll_in_turn() {
  if (--until_poll_ != 0) return;
  until_poll_ = poll_every_;
  if (in_body()) return;
  poll_unasked();
  flush();
}

}  // namespace armilla::detail
