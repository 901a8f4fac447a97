// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/rpc/hints_inline.hpp"
#include "armilla/rpc/kept_argument.hpp"

/// Hints on how a called function runs, wrapped around the function in a call.
///
/// Without a hint a function runs at once, on the stack of its rank's loop, and becomes a fiber only if it waits. That is what
/// most calls want.
///
///     auto next = am::call(1, am::to_completion([](int n) { return n + 1; }), 41);   // it never waits
///     auto found = am::call(1, am::as_fiber(&search), root);                         // a fiber: others go first
///     am::async(1, am::urgent([] { stop(); }));                                      // leaves at once
///     auto met = am::call(h.on(1), am::as_fiber<&part::meet>());                     // a method of an object
///
/// `async`, `call`, `async_all`, `call_all` and `call_into` take hints. Methods by name (armilla/method.hpp) do not, for their
/// caller does not know the function. In `call_into`, `to_completion` and `safe` change nothing, because storing the result may
/// wait.
///
/// Paper: MRPC, section 5 (0-Word Simple, Threaded, Atomic: how the function runs is independent of how the caller waits).
namespace armilla {

/// Promises that the function never waits: a wait in it throws `usage_error`.
///
/// The receiver needs no stack for it. If it waits in place, it saves the switch to its loop.
template <class F>
auto to_completion(const F& f) {
  return detail::hinted<detail::completed_body>(f, "to_completion");
}

/// Runs the function as a fiber from the start: what came after it, and fibers that can continue, run first.
///
/// It may enter collectives of teams in which no other fiber of its rank is at that time. Cost: two switches, and a stack from
/// the pool.
template <class F>
auto as_fiber(const F& f) {
  return detail::hinted<detail::fiber_body>(f, "as_fiber");
}

/// Sends the one-way call at once, together with those to the same rank that are buffered. Two-way calls are sent at once anyway.
template <class F>
auto urgent(const F& f) {
  return detail::hinted<detail::urgent_body>(f, "urgent");
}

/// Says that the function may run concurrently with the rank, on a progress thread, even while the rank computes. Over networks
/// that can wake a thread this is the default; between ranks that share memory it needs ARMILLA_PROGRESS_MODE=thread
/// (docs/guide/progress.md).
///
/// It touches nothing but atomics and what the rank leaves alone meanwhile, it does not wait, and it sends nothing but its reply.
/// Such functions are atomic with respect to each other, not to the rank, and keep their order. Without
/// a progress thread this is as `to_completion`.
template <class F>
auto safe(const F& f) {
  return detail::hinted<detail::safe_body>(f, "safe");
}

/// Gives a function that is named at compile time the hint, `as_fiber<&f>()`, or a member of the object that is called,
/// `as_fiber<&T::method>()`. A member cannot be `safe`: the rank may be changing the table in which its object is found.
template <auto F>
auto to_completion() {
  return detail::hinted<detail::completed_body, F>();
}
template <auto F>
auto as_fiber() {
  return detail::hinted<detail::fiber_body, F>();
}
template <auto F>
auto urgent() {
  return detail::hinted<detail::urgent_body, F>();
}
template <auto F>
auto safe() {
  static_assert(!std::is_member_pointer_v<decltype(F)>,
                "armilla: a member cannot be safe, as the rank may be changing the table in which its object is found; make it a "
                "function that reaches atomics of its own, safe<&f>()");
  return detail::hinted<detail::safe_body, F>();
}

}  // namespace armilla
