// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <type_traits>

#include "armilla/am/endpoint/asked_waits.hpp"
#include "armilla/am/endpoint/inbox.hpp"
#include "armilla/am/endpoint/losses.hpp"
#include "armilla/base/values/wait_mode.hpp"
#include "armilla/fabric/event_count.hpp"

// Model: tests/models/order/sleep.rs
namespace armilla::detail {

/// How a rank makes progress: polls, waits of its fibers, and the loop that takes in messages while none can go on.
class progress {
 public:
  progress(outbox& out, inbox& in, event_count& sleeper, losses& lost);
  progress(const progress&) = delete;

  // ---- polls ----

  /// One look at every peer; what has come is taken in, and other fibers run, if any can. True if anything was taken in, or left
  /// that had found no credit; fibers that ran do not count. Does nothing inside a body, unless that has waited.
  bool poll();
  /// The same, but begins no more bodies and active messages than `most` allows.
  /// The rest stays where it is; ranks take turns.
  bool poll(const poll_limit& most);
  /// A poll that the program has not asked for: ARMILLA_POLL_BUDGET limits it.
  bool poll_unasked();
  /// The limit of such polls from now on. 0: none.
  void limit_unasked_polls(const unasked_limit& most) noexcept { in_.limits.unasked = most; }
  void every_nth_call_polls(std::uint32_t n) noexcept;

  // ---- waits ----

  /// Answers other ranks until `done()`; `what` says in reports what this fiber waits for. Flushes first, unless
  /// `done()` holds already: then nothing is sent. `done` has no effects: it is asked as often as the wait needs. Inside a body:
  /// that becomes a fiber. `on`: the object, for reports.
  template <class Done>
  void wait_until(Done&& done, const char* what, wait_object on = {}) {
    wait_until_deadline(done, 0, what, on);
  }

  /// The same, but not beyond `deadline_ns` (of `now_ns()`; 0: for ever). Returns `done()`.
  template <class Done>
  bool wait_until_deadline(Done&& done, std::uint64_t deadline_ns, const char* what, wait_object on = {});

  /// The same for an event that wakes the fiber itself: `arm(fiber)` tells it which one.
  template <class Done, class Arm>
  bool wait_woken(Done&& done, Arm&& arm, std::uint64_t deadline_ns, const char* what, wait_object on = {});

  /// Takes in messages until what is queued for `c` has left. Nothing inside a body. Throws rank_lost.
  void await_credit(peer_channel& c);

  /// Whether a fiber that waits alone takes in messages itself.
  void set_wait_mode(wait_mode mode) noexcept { stay_ = mode == wait_mode::in_place; }
  /// Whether nothing can come but by the network, and no other fiber can go on: then a look before a wait finds nothing that the
  /// wait would not.
  bool only_network_to_look_at() const noexcept;
  /// Whether there is anything to take in, or to send as soon as there is credit.
  bool anything_to_do() const noexcept { return out_.any_queued() || in_.anything_has_come(); }

  /// What takes in the calls of attached clients of the job, and what other threads post, after each eighth look. True: fibers
  /// may be ready.
  struct client_work {
    bool (*serve)(void* argument) = nullptr;
    void* argument = nullptr;
  };
  void set_client_work(const client_work& work) noexcept;

  // ---- the loop ----

  enum class seen { something, nothing, over };
  /// What spins, yields and sleeps for all that wait: the loop fiber (`run_loop`), `wait_here`, `await_credit` and the progress
  /// thread. It calls `look()` until that says that it is over. Behind a look that found nothing the rank waits for a while, and
  /// then rests: by `rest(backoff)`, unless `anything()`, which is asked last.
  template <class Look, class Anything, class Rest>
  void look_until_over(Look&& look, Anything&& anything, Rest&& rest);

 private:
  /// The waiting fiber itself takes in what comes, as long as nothing else can go on: no switch. `leave`: it has to switch.
  enum class outcome { done, late, leave };
  template <class Done>
  outcome wait_here(Done& done, std::uint64_t deadline_ns);
  bool may_stay() const noexcept;
  enum class looker : bool { poll, wait };
  template <looker By>
  bool poll_here();
  /// Behind a look, which has found something or not (`any`): what comes neither by a ring nor by a network. One test in most,
  /// some loads in each eighth: a program that polls seldom shall not need hundreds of polls to hear of it. Returns whether
  /// anything was found at all. A wait also tells what it is for: where much comes, no look may ever find nothing.
  template <looker By>
  bool with_rare_work(bool any) {
    if (((any ? count_.polls : ++count_.idle_polls) & 7) != 0) [[likely]]
      return any;
    if constexpr (By == looker::wait) sleeper_.answer_if_asked();
    return ((sleeper_.losses_to_hear() || sleeper_.called_by_client()) && take_rare_work()) || any;
  }
  [[gnu::cold]] bool take_rare_work();
  /// Inside a parallel region of OpenMP, whose runtime knows this thread's stack: bodies run on it and may not wait.
  template <class Done>
  bool wait_nested(Done& done, std::uint64_t deadline_ns);
  void look_nested();
  void begin_wait(const char* what, wait_object on);
  void suspend(std::uint64_t deadline_ns, const char* what, wait_object on);
  bool poll_as_limited();
  void poll_in_turn();
  void run_loop();
  bool look_around();
  [[gnu::cold, gnu::noinline]] void look_on();
  bool ask_waits() { return asked_.wake_ended(*self_.fibers); }
  /// Behind a look that found nothing.
  template <class Anything, class Rest>
  void idle(event_count::backoff& backoff, Anything&& anything, Rest&& rest);
  void sleep(const event_count::backoff& backoff, std::uint64_t deadline_ns, bool closed) noexcept {
    sleeper_.show_wait(self_.fibers->main().waits_for);
    if (out_.far() != nullptr) [[unlikely]]
      return sleep_beside_network(backoff, deadline_ns, closed);
    sleeper_.sleep(backoff, deadline_ns, closed ? event_count::ended_by::ranks : event_count::ended_by::anything);
  }
  /// In progress_far.cpp.
  void sleep_beside_network(const event_count::backoff& backoff, std::uint64_t deadline_ns, bool closed) noexcept;
  static bool past(std::uint64_t deadline_ns) noexcept;
  /// Grows whenever something is taken in, also the rest of a suspended frame, or leaves the backlog.
  std::uint64_t passed() const noexcept {
    return count_.bundles_received + in_.finished() + count_.backlog_bytes - out_.queued_bytes();
  }

  context& self_;
  outbox& out_;
  inbox& in_;
  event_count& sleeper_;
  losses& lost_;
  counters& count_;
  asked_waits asked_;  // fibers whose events no component tells: the loop asks for them
  client_work clients_;
  std::uint32_t poll_every_ = 0;
  std::uint32_t until_poll_ = 0;
  bool stay_ = true;
};

template <class Done>
bool progress::wait_until_deadline(Done&& done, std::uint64_t deadline_ns, const char* what, wait_object on) {
  asked_waits::wait mine{asked_,
                         [](void* argument) -> bool { return (*static_cast<std::remove_reference_t<Done>*>(argument))(); },
                         const_cast<void*>(static_cast<const void*>(&done))};
  return wait_woken(done, [&](fiber_record& me) { asked_.list(mine, me); }, deadline_ns, what, on);
}

template <class Done, class Arm>
inline bool progress::wait_woken(Done&& done, Arm&& arm, std::uint64_t deadline_ns, const char* what, wait_object on) {
  if (done()) return true;
  const traced wait(out_.events(), trace_kind::wait, what);
  begin_wait(what, on);
  const outcome here = wait_here(done, deadline_ns);
  if (here != outcome::leave) return here == outcome::done;
  if (in_parallel_region()) [[unlikely]]
    return wait_nested(done, deadline_ns);
  while (!done()) {
    if (deadline_ns != 0 && past(deadline_ns)) return false;
    arm(self_.fibers->running());
    suspend(deadline_ns, what, on);
  }
  return true;
}

template <class Done>
[[gnu::always_inline]] inline progress::outcome progress::wait_here(Done& done, std::uint64_t deadline_ns) {
  if (!may_stay()) return outcome::leave;
  const timed net(out_.watch(), component::net);
  outcome end = outcome::leave;
  look_until_over(
      [&] {
        const bool any = poll_here<looker::wait>();
        if (done()) {
          out_.end_company();  // the rank may compute now, and so may another fiber
          return end = outcome::done, seen::over;
        }
        out_.flush_behind_look(any);  // also what bodies have sent
        if (any && !may_stay()) [[unlikely]]
          return out_.end_company(), seen::over;
        if (deadline_ns != 0 && past(deadline_ns)) [[unlikely]]
          return out_.end_company(), end = done() ? outcome::done : outcome::late, seen::over;
        return any ? seen::something : seen::nothing;
      },
      [&] { return done() || anything_to_do(); },
      [&](const event_count::backoff& backoff) { sleep(backoff, deadline_ns, deadline_ns == 0 || sleeper_.naps() != 0); });
  return end;
}

template <class Done>
bool progress::wait_nested(Done& done, std::uint64_t deadline_ns) {
  while (!done()) {
    look_nested();
    out_.flush();
    if (deadline_ns != 0 && past(deadline_ns)) return done();
  }
  return true;
}

template <class Look, class Anything, class Rest>
[[gnu::always_inline]] inline void progress::look_until_over(Look&& look, Anything&& anything, Rest&& rest) {
  event_count::backoff backoff;
  for (;;) {
    const seen now = look();
    if (now == seen::over) return;
    if (now == seen::something)
      backoff = {};
    else
      idle(backoff, anything, rest);
  }
}

template <class Anything, class Rest>
inline void progress::idle(event_count::backoff& backoff, Anything&& anything, Rest&& rest) {
  if (sleeper_.idle(backoff) == event_count::step::again) [[likely]]
    return;
  if (out_.any_queued() || out_.keeps_company()) [[unlikely]]
    return sleeper_.stay_awake(backoff);  // credit wakes no rank, and what waits for more does not wait for long
  sleeper_.prepare_wait();
  if (anything())
    sleeper_.cancel_wait();
  else
    rest(backoff);
}

inline bool progress::may_stay() const noexcept {
  const scheduler& fibers = *self_.fibers;
  return !fibers.anyone_ready() && asked_.empty() && !in_.has_suspended() && !fibers.any_timer() && stay_ &&
         self_.body_depth == 0;
}

template <progress::looker By>
inline bool progress::poll_here() {
  // A suspended frame is for the loop, before anything else is taken in.
  return with_rare_work<By>(in_.look<taker::in_place>([this] { return in_.has_suspended(); }));
}

}  // namespace armilla::detail
