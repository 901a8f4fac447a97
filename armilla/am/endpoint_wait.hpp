// SPDX-License-Identifier: Apache-2.0
#pragma once
// How a fiber waits at its rank's endpoint, for whatever it waits. In line: a wait costs little beside what it waits for.
#include "armilla/am/endpoint.hpp"

namespace armilla::detail {

template <class Done>
bool endpoint::wait_until_deadline(Done&& done, std::uint64_t deadline_ns, const char* what, wait_object on) {
  asked_waits::wait mine{asked_, [](void* argument) { return bool((*static_cast<std::remove_reference_t<Done>*>(argument))()); },
                         const_cast<void*>(static_cast<const void*>(&done))};
  return wait_woken(done, [&](fiber_record& me) { asked_.list(mine, me); }, deadline_ns, what, on);
}

template <class Done, class Arm>
bool endpoint::wait_woken(Done&& done, Arm&& arm, std::uint64_t deadline_ns, const char* what, wait_object on) {
  if (done()) return true;
  const traced wait(trace_, trace_kind::wait, what);
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
endpoint::outcome endpoint::wait_here(Done& done, std::uint64_t deadline_ns) {
  if (!may_stay()) return outcome::leave;
  const timed net(watch_, component::net);
  event_count::backoff backoff;
  for (;;) {
    const bool any = poll_here();
    if (done()) return outcome::done;
    flush();  // also what bodies have sent
    if (any) {
      backoff = {};
      if (!may_stay()) [[unlikely]]
        return outcome::leave;
      if (deadline_ns == 0) [[likely]]
        continue;
    }
    if (deadline_ns != 0 && past(deadline_ns)) [[unlikely]]
      return done() ? outcome::done : outcome::late;
    if (any || event_count_.idle(backoff) == event_count::step::again) [[likely]]
      continue;
    if (spilled_channels_ != 0) [[unlikely]] {
      backoff = {};  // credit comes without a bell
      continue;
    }
    event_count_.prepare_wait();
    if (done() || anything_to_do())
      event_count_.cancel_wait();
    else
      sleep(backoff, deadline_ns, deadline_ns == 0 || event_count_.lingers());
  }
}

template <class Done>
bool endpoint::wait_nested(Done& done, std::uint64_t deadline_ns) {
  while (!done()) {
    look_nested();
    flush();
    if (deadline_ns != 0 && past(deadline_ns)) return done();
  }
  return true;
}

inline bool endpoint::may_stay() const noexcept {
  const scheduler& fibers = *self_.fibers;
  return !fibers.anyone_ready() && asked_.empty() && !left_ && !fibers.any_timer() && stay_ && self_.body_depth == 0;
}

inline bool endpoint::poll_here() {
  ++count_.polls;
  bool any = false;
  for (inbound& in : inbound_) {
    if (!to_read(in)) continue;
    any |= receive<taker::in_place>(in);
    if (left_) [[unlikely]]
      return true;  // before anything else is taken in, the loop has to go on with that frame
  }
  if (far_ != nullptr) [[unlikely]] {
    any |= poll_far<taker::in_place>();
    if (left_) return true;
  }
  if (spilled_channels_ != 0) [[unlikely]]
    any |= drain();
  return any || look_for_losses();
}

}  // namespace armilla::detail
