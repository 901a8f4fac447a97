// SPDX-License-Identifier: Apache-2.0
// How fibers wait, and the loop that takes in messages while none can go on.
#include <sched.h>

#include <utility>

#include "armilla/am/arrival_order.hpp"
#include "armilla/base/clock.hpp"
#include "armilla/base/error.hpp"

namespace armilla::detail {

// A body that waits here is refused: this fiber is not the loop.
void endpoint::look_nested() {
  const std::uint64_t before = count_.runs_received;
  ++count_.polls;
  if (left_) finish_left();
  for (inbound& in : inbound_)
    if (to_read(in) && !left_) receive<taker::loop>(in);
  if (far_ != nullptr) poll_far<taker::loop>();
  if (spilled_channels_ != 0) drain();
  if (count_.runs_received != before) return;
  look_for_losses();
  sched_yield();
}

// The limit of another fiber's poll, which let this one go on, is not for this one.
bool endpoint::poll() {
  if (limits_.now != nullptr && self_.body_depth == self_.fibers->running().own_depth) [[unlikely]]
    limits_.now = nullptr;
  return poll_as_limited();
}

bool endpoint::poll_as_limited() {
  scheduler& fibers = *self_.fibers;
  if (self_.body_depth != fibers.running().own_depth) return false;
  const std::uint64_t before = progress();
  const bool any = !in_body() && !left_ && poll_here();
  if (fibers.running().on_wait != nullptr) [[unlikely]]
    fibers.before_wait("poll");  // others do what this fiber polls for
  // The loop asks for the fibers that wait; while this one polls, nothing brings the loop its turn.
  if (!asked_.empty()) [[unlikely]]
    ask_waits();
  if (fibers.any_timer()) [[unlikely]]
    fibers.run_timers();
  if (!in_body() && !left_ && !fibers.anyone_ready()) [[likely]]
    return any;
  if (in_parallel_region()) [[unlikely]] {
    look_nested();
  } else {
    if (left_ || in_body())
      fibers.yield_to_loop("poll");
    else
      fibers.yield("poll");
    fibers.rethrow_in_main();
  }
  return progress() != before;  // not whether others ran: one that spins would keep its peers' loops over poll() alive
}

// First what is begun, then whose turn it is, then the others.
bool endpoint::poll(const poll_limit& most) {
  if (self_.body_depth != self_.fibers->running().own_depth) return false;
  const std::uint64_t before = progress();
  struct limited {
    endpoint& self;
    poll_limit mine;
    ~limited() {
      if (self.limits_.now == &mine) self.limits_.now = nullptr;
      self.note_observers();
    }
  } now{*this, most};
  limits_.now = &now.mine;
  observed_ = true;
  bool any = left_ && poll_as_limited();
  for (rank_t from = limits_.turn < self_.ranks ? limits_.turn : 0; limits_.now == &now.mine;
       from = 0) {  // another fiber's poll brings its own
    now.mine.from = from;
    any |= poll_as_limited();
    if (from == 0 || now.mine.spent()) break;
  }
  if (spilled_channels_ != 0) any |= drain();
  return any || progress() != before;
}

bool endpoint::poll_unasked() {
  if (!limits_.unasked.any()) [[likely]]
    return poll();
  return poll(limits_.unasked.from_now());
}

// One look by the loop at everything that may have come. False: this stack is no longer the loop's.
bool endpoint::look_around() {
  scheduler& fibers = *self_.fibers;
  if (left_) {  // for which a waiting fiber has called the loop: it may have been all that was missing
    finish_left();
    return fibers.in_loop();
  }
  ++count_.polls;
  for (inbound& in : inbound_) {
    if (!to_read(in)) continue;
    receive<taker::loop>(in);
    if (!fibers.in_loop()) [[unlikely]]
      return false;
  }
  if (far_ != nullptr) [[unlikely]] {
    poll_far<taker::loop>();
    if (!fibers.in_loop()) return false;
  }
  if (spilled_channels_ != 0) [[unlikely]]
    drain();
  return true;
}

void endpoint::run_loop() {
  scheduler& fibers = *self_.fibers;
  const timed net(watch_, component::net);
  event_count::backoff backoff;
  for (;;) {
    const std::uint64_t before = count_.runs_received;
    try {
      if (!look_around()) return;
    } catch (...) {  // damaged bytes: the rank's own code shall hear of it
      if (!fibers.in_loop()) throw;
      fibers.fail_main(std::current_exception());
    }
    ask_waits();
    const std::uint64_t next_timer = fibers.run_timers();
    flush();  // what bodies and fibers have sent: also while others can go on
    if (fibers.anyone_ready()) {
      fibers.run_ready();
      backoff = {};
      continue;
    }
    if (count_.runs_received != before) {
      backoff = {};
      continue;
    }
    if (look_for_losses()) [[unlikely]] {
      backoff = {};
      continue;
    }
    if (event_count_.idle(backoff) == event_count::step::again) [[likely]]
      continue;
    if (spilled_channels_ != 0) [[unlikely]] {
      backoff = {};  // credit comes without a bell: stay awake
      continue;
    }
    event_count_.prepare_wait();
    if (left_ || anything_to_do() || ask_waits())
      event_count_.cancel_wait();
    else
      sleep(backoff, next_timer, next_timer == 0 || (event_count_.lingers() && fibers.timers() == 1));
  }
}

void endpoint::suspend(std::uint64_t deadline_ns, const char* what, wait_object on) {
  scheduler& fibers = *self_.fibers;
  if (deadline_ns == 0) {
    fibers.suspend(what, on);
  } else {
    struct forgetter {
      scheduler& fibers;
      ~forgetter() { fibers.forget_timer(fibers.running()); }
    } at_end{fibers};
    fibers.set_timer(fibers.running(), deadline_ns);
    fibers.suspend(what, on);
  }
  fibers.rethrow_in_main();
}

bool endpoint::anything_to_do() const noexcept { return spilled_channels_ != 0 || anything_has_come(); }

bool endpoint::anything_has_come() const noexcept {
  arrival_order* const order = observed_ ? order_of(self_, this) : nullptr;
  if (order != nullptr) order->flush();
  for (const inbound& in : inbound_)
    if (to_read(in) && (order == nullptr || in.next != nullptr || order->next_may_be(in.source))) return true;
  return false;
}

void endpoint::begin_wait(const char* what, wait_object on) {
  self_.fibers->before_wait(what);
  self_.fibers->note_wait(what, on);
  flush();
}

bool endpoint::past(std::uint64_t deadline_ns) noexcept { return now_ns() >= deadline_ns; }

}  // namespace armilla::detail
