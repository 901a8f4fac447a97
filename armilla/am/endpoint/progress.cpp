// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/progress.hpp"

#include <sched.h>

#include <algorithm>

#include <fmt/format.h>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/fabric/shared_network.hpp"

// Model: tests/models/protocols/credit.pml
namespace armilla::detail {

progress::progress(outbox& out, inbox& in, event_count& sleeper, losses& lost)
    : self_(out.self),
      out_(out),
      in_(in),
      sleeper_(sleeper),
      lost_(lost),
      count_(out.count()),
      stay_(self_.settings->wait == wait_mode::in_place) {
  self_.fibers->set_loop({[](void* p) { static_cast<progress*>(p)->run_loop(); },
                          [](void* p) { return static_cast<progress*>(p)->in_.promote_to_fiber(); }, this});
  every_nth_call_polls(std::uint32_t(self_.settings->poll_every));
}

// ---- polls ----

// The limit of another fiber's poll, which let this one go on, is not for this one.
bool progress::poll() {
  if (in_.limits.now != nullptr && self_.body_depth == self_.fibers->running().own_depth) [[unlikely]]
    in_.limits.now = nullptr;
  return poll_as_limited();
}

bool progress::poll_as_limited() {
  scheduler& fibers = *self_.fibers;
  if (self_.body_depth != fibers.running().own_depth) return false;
  const std::uint64_t before = passed();
  const bool any = !out_.in_body() && !in_.has_suspended() && poll_here<looker::poll>();
  if (fibers.running().on_wait != nullptr) [[unlikely]]
    fibers.before_wait("poll");  // others do what this fiber polls for
  // The loop asks the waits of fibers; while this one polls, nothing else gives the loop its turn.
  if (!asked_.empty()) [[unlikely]]
    ask_waits();
  if (fibers.any_timer()) [[unlikely]]
    fibers.run_timers();
  if (!out_.in_body() && !in_.has_suspended() && !fibers.anyone_ready()) [[likely]]
    return any;
  out_.end_company();  // the fiber that goes on may compute
  if (in_parallel_region()) [[unlikely]] {
    look_nested();
  } else {
    if (in_.has_suspended() || out_.in_body())
      fibers.yield_to_loop("poll");
    else
      fibers.yield("poll");
    fibers.rethrow_in_main();
  }
  return passed() != before;  // not whether others ran: one that spins would keep its peers' loops over poll() alive
}

// First the bodies that have begun, then those of the rank that has the turn, then the others.
bool progress::poll(const poll_limit& most) {
  if (self_.body_depth != self_.fibers->running().own_depth) return false;
  const std::uint64_t before = passed();
  poll_limits& limits = in_.limits;
  struct limited {
    inbox& in;
    poll_limit mine;
    ~limited() {
      if (in.limits.now == &mine) in.limits.now = nullptr;
      in.note_observers();
    }
  } now{in_, most};
  limits.now = &now.mine;
  out_.set_observed(true);
  bool any = in_.has_suspended() && poll_as_limited();
  for (rank_t from = limits.turn < self_.places ? limits.turn : 0; limits.now == &now.mine;
       from = 0) {  // another fiber's poll brings its own
    now.mine.from = from;
    any |= poll_as_limited();
    if (from == 0 || now.mine.spent()) break;
  }
  if (out_.any_queued()) any |= out_.drain();
  return any || passed() != before;
}

bool progress::poll_unasked() {
  if (!in_.limits.unasked.any()) [[likely]]
    return poll();
  return poll(in_.limits.unasked.from_now());
}

void progress::every_nth_call_polls(std::uint32_t n) noexcept {
  poll_every_ = until_poll_ = n;
  self_.each_call = n == 0 ? nullptr : +[](context& c) { c.messages->waits.poll_in_turn(); };
  count_each_access(self_);
  in_.note_observers();
}

void progress::poll_in_turn() {
  if (--until_poll_ != 0) return;
  until_poll_ = poll_every_;
  if (out_.in_body()) return;
  poll_unasked();
  out_.flush();
}

bool progress::take_rare_work() {
  const bool heard = sleeper_.losses_to_hear() && lost_.hear();
  return (sleeper_.called_by_client() && clients_.serve(clients_.argument)) || heard;
}

void progress::set_client_work(const client_work& work) noexcept {
  clients_ = work;
  sleeper_.watch_clients(work.serve != nullptr);
}

// ---- waits ----

// A body that waits here is refused: this fiber is not the loop.
void progress::look_nested() {
  const std::uint64_t before = count_.bundles_received;
  if (in_.has_suspended()) in_.finish_suspended();
  in_.look<taker::loop>([this] { return in_.has_suspended(); });
  if (!with_rare_work<looker::wait>(count_.bundles_received != before)) sched_yield();
}

static std::string explain_credit(const context&, const char*, const peer_channel& c) {
  return fmt::format("credit: rank {} does not take in what was sent to it", c.to);
}

// The rank's own code makes room by taking in messages; a body goes on, and what it sends is kept in the outbox.
void progress::await_credit(peer_channel& c) {
  if (out_.in_body() || c.backlog.empty()) return;
  ++count_.credit_stalls;
  const traced wait(out_.events(), trace_kind::wait, "credit");
  const timed net(out_.watch(), component::net);
  look_until_over(
      [&] {
        if (c.backlog.empty()) return seen::over;
        const bool any = poll_unasked();
        out_.flush();                                                           // also what other fibers have sent meanwhile
        self_.fibers->note_wait("credit", wait_object::of<explain_credit>(c));  // a poll that yields forgets it
        sleeper_.answer_if_asked();                                             // which that look does not do
        return any ? seen::something : seen::nothing;
      },
      [] { return true; }, [](const event_count::backoff&) {});
  if (c.lost && out_.host().job().goes_on == 0) lost_.raise(c.to, "send");  // else what waits for a reply is told
}

// Its instructions count in each two-way call: the record is looked up once.
void progress::begin_wait(const char* what, wait_object on) {
  scheduler& fibers = *self_.fibers;
  fiber_record& me = fibers.running();
  fibers.before_wait(what);
  me.waits_for = what;
  me.waits_on = on;
  if (!me.gathers) [[likely]]
    return out_.flush();
  me.gathers = false;
}

void progress::suspend(std::uint64_t deadline_ns, const char* what, wait_object on) {
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

bool progress::past(std::uint64_t deadline_ns) noexcept { return now_ns() >= deadline_ns; }

bool progress::only_network_to_look_at() const noexcept {
  return in_.only_network_to_look_at() && !out_.any_queued() && may_stay() && self_.fibers->running().on_wait == nullptr;
}

// ---- the loop ----

// One look by the loop at everything that may have come. False: this stack is no longer the loop's.
bool progress::look_around() {
  const scheduler& fibers = *self_.fibers;
  if (in_.has_suspended()) {  // for which a waiting fiber has called the loop: it may have been all that was missing
    in_.finish_suspended();
    if ((count_.polls & 7) == 0) [[unlikely]]
      look_on();
  } else {
    in_.look<taker::loop>([&fibers] { return !fibers.in_loop(); });
  }
  return fibers.in_loop();
}

// The look that has found a frame for the loop has ended there. A fiber that polls, and sends to its own rank each time, would
// never come to what is behind: each eighth of such looks goes on.
void progress::look_on() {
  const scheduler& fibers = *self_.fibers;
  if (fibers.in_loop()) in_.look_on<taker::loop>([&fibers] { return !fibers.in_loop(); });
}

void progress::run_loop() {
  scheduler& fibers = *self_.fibers;
  const timed net(out_.watch(), component::net);
  std::uint64_t next_timer = 0;
  look_until_over(
      [&] {
        const std::uint64_t before = count_.bundles_received;
        try {
          if (!look_around()) return seen::over;
        } catch (...) {  // damaged bytes: the rank's own code is told
          if (!fibers.in_loop()) throw;
          fibers.fail_main(std::current_exception());
        }
        ask_waits();
        next_timer = fibers.run_timers();
        const bool any = count_.bundles_received != before;
        if (!fibers.anyone_ready()) {
          out_.flush_behind_look(any);
          return with_rare_work<looker::wait>(any) ? seen::something : seen::nothing;
        }
        out_.flush();  // a fiber may compute
        fibers.run_ready();
        return seen::something;
      },
      [this] { return in_.has_suspended() || anything_to_do() || ask_waits(); },
      [&](const event_count::backoff& backoff) {
        sleep(backoff, next_timer, next_timer == 0 || fibers.timers() == sleeper_.naps());
      });
}

}  // namespace armilla::detail
