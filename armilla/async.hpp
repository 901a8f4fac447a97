// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>

#include "armilla/hints.hpp"
#include "armilla/rpc/async_inline.hpp"
#include "armilla/rpc/callable.hpp"
#include "armilla/team.hpp"

/// One-way calls: run a function on another rank and do not wait for it.
///
/// Use them to send work or data whose sender needs no answer. If you need the result, use `call` (armilla/call.hpp); to change
/// many elements of a container, use the container's own one-way operations, which are packed more tightly.
///
///     static long received = 0;
///     am::async(1, [](long n) { received += n; }, 5L);      // returns at once
///     am::fence();                                          // all one-way calls of all ranks have run
///
/// **Functions and arguments.** `f` is a function pointer, or a lambda or function object that is trivially copyable. Arguments
/// are copied, and must be sendable: a `std::string` is, a reference or pointer is not. Wrapped around `f`, a hint changes how it
/// runs: see armilla/hints.hpp.
///
/// **Completion.** A call is complete at the next fence, together with all that the called function caused.
///
/// **Order.** One-way calls of one rank to another run in the order in which they were sent. There is no order between different
/// senders or receivers.
///
/// **Buffering.** Small calls to one rank are sent together. They leave when their buffer is full, at a poll or fence, at any
/// wait whose event has not come yet, and at `flush()`. Call `flush()` before a long computation: receivers wait for them.
///
/// **Waiting.** `async` does not wait, except for room at `dest`: then it may run incoming calls. Inside a called function it
/// never waits.
///
/// **Errors.** Throws `usage_error` if `dest` is not a rank. If the called function throws, the next fence throws a
/// `remote_error` on every rank.
///
/// **Cost.** A copy of the arguments; no allocation.
namespace armilla {

// The compiler shows this line first for `async<&f>` where `f` is overloaded: it names the remedy.
// clang-format off
template <detail::one_function> void async(rank_t, ...) = delete;  // armilla: name ONE function, async<static_cast<void (*)(int)>(&f)>(rank, ...)
// clang-format on

/// Runs `f(arguments...)` on rank `dest`, which may be this rank. One-way: returns at once, and nothing comes back.
///
/// Paper: STAPL, section 5 (async_rmi), aggregation in 6.3.
template <class F, class... A>
  requires(!std::is_convertible_v<std::decay_t<F>, rank_t>)
void async(rank_t dest, F&& f, A&&... arguments) {
  (require_sendable<detail::sent_as<A>>(), ...);
  detail::check_body<F, A...>();
  if constexpr (detail::can_call<F, A...>) {
    detail::sending& out = *detail::head_here("async").out;
    detail::send_one_way_call<typename detail::callable_of<F>::type, detail::sent_as<A>...>(
        out, detail::lane_for<typename detail::callable_of<F>::type>(out, out.checked(dest, "async")),
        detail::callable_of<F>::portable(f, "async"), arguments...);
  }
}

/// Runs the function `F`, which is named at compile time: `async<&function>(dest, arguments...)`.
template <auto F, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
void async(rank_t dest, A&&... arguments) {
  async(dest, detail::constant_function<F>{}, std::forward<A>(arguments)...);
}

/// Runs `f(arguments...)` on every rank with which the job started, including this one if it is one of them. One rank calls it.
///
/// Ranks that joined later are not called. Complete at the next fence. Cost: a one-way call to each rank.
///
/// Paper: STAPL, section 5 (broadcast_rmi).
template <class F, class... A>
  requires(!detail::names_many<std::decay_t<F>>)
void async_all(F&& f, const A&... arguments) {
  const rank_t ranks = detail::head_here("async_all").world_size;
  for (rank_t r = 0; r < ranks; ++r) async(r, f, arguments...);
}

/// Runs the function `F` on every rank: `async_all<&function>(arguments...)`.
template <auto F, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
void async_all(const A&... arguments) {
  async_all(detail::constant_function<F>{}, arguments...);
}

/// Runs `f(arguments...)` on every member of `members`, in the order of their numbers. One member calls it. Complete at
/// `members.fence()`. Throws `usage_error` for the empty team.
template <class F, class... A>
void async_all(const team& members, F&& f, const A&... arguments) {
  const rank_t size = detail::require_members(members, "async_all");
  for (rank_t i = 0; i < size; ++i) async(members.world_rank(i), f, arguments...);
}

/// Runs the function `F` on every member of `members`: `async_all<&function>(members, arguments...)`.
template <auto F, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
void async_all(const team& members, const A&... arguments) {
  async_all(members, detail::constant_function<F>{}, arguments...);
}

// ---- Mistakes: these do not compile, and say what to write instead ----

// The compiler shows this line for a function that is overloaded: it names the remedy.
// clang-format off
void async(rank_t dest, ...) = delete;  // armilla: name ONE function, static_cast<void (*)(int)>(&f), a lambda or a function object
// clang-format on

// What is easily written otherwise says how it is written.
template <detail::body_in_front F, class... A>
void async(F&&, rank_t, A&&...) {
  static_assert(detail::dependent_false<F>, "armilla: the rank comes first, then the function: async(rank, f, arguments...)");
}

}  // namespace armilla
