// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/rpc/hints_inline.hpp"
#include "armilla/rpc/kept_argument.hpp"

/// What a call may say about its body, wrapped around the function:
///
///     am::call(1, am::to_completion([](int n) { return n + 1; }), 41);   // it never waits: no stack is kept ready for it
///     am::call(1, am::as_fiber(&search), root);                         // a fiber from the start: others go first
///     am::async(1, am::urgent([] { stop(); }));                         // leaves at once, without company
///     am::call(h.on(1), am::as_fiber<&part::meet>());                   // a method: of a part, or of a processor object
///
/// A hint stands where the body stands, in `async`, `call`, `async_all`, `call_all` and `call_into`. A method by name takes none:
/// its caller does not know the body. In `call_into` `to_completion` and `safe` change nothing, as to put the result there may
/// wait.
///
/// Without a hint a body runs at once on the stack of the rank's loop and becomes a fiber only if it waits, which is what most
/// calls want. Paper: MRPC, section 5 (0-Word Simple, Threaded, Atomic: how the body runs is independent of how the caller
/// waits).
namespace armilla {

/// The body never waits. Saves the rank that runs it the switch to its loop, when that rank waits in place; a wait in it is a
/// usage_error.
template <class F>
auto to_completion(const F& f) {
  return detail::hinted<detail::completed_body>(f, "to_completion");
}
/// The body is a fiber from its beginning: what came behind it, and fibers that can go on, have their turn first. Cost: two
/// switches and a stack from the pool. It may enter collectives of teams in which no other fiber of its rank is inside one.
template <class F>
auto as_fiber(const F& f) {
  return detail::hinted<detail::fiber_body>(f, "as_fiber");
}
/// The statement leaves at once, with those to the same rank that were waiting for company. Questions do so anyway.
template <class F>
auto urgent(const F& f) {
  return detail::hinted<detail::urgent_body>(f, "urgent");
}
/// The body may run beside the rank, under ARMILLA_PROGRESS_MODE=thread even while the rank computes: it touches nothing but
/// atomics and what the rank leaves alone meanwhile, does not wait, and sends nothing but its reply. Bodies marked so are atomic
/// with respect to each other, not to the rank; they keep their order among themselves. Under `poll` and `signal`: as
/// to_completion.
template <class F>
auto safe(const F& f) {
  return detail::hinted<detail::safe_body>(f, "safe");
}
/// The same for a function that is named at compile time, `as_fiber<&f>()`, and for a member of the object that the call goes to,
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
