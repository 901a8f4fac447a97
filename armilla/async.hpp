// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>

#include "armilla/hints.hpp"
#include "armilla/rpc/async_inline.hpp"
#include "armilla/rpc/callable.hpp"
#include "armilla/team.hpp"

namespace armilla {

// The compiler shows this line first for `async<&f>` where `f` is overloaded: it names the remedy.
// clang-format off
template <detail::one_function> void async(rank_t, ...) = delete;  // armilla: name ONE function, async<static_cast<void (*)(int)>(&f)>(rank, ...)
// clang-format on

/// Statement: runs `f(arguments...)` on rank `dest` (this one, too) and does not wait. Nothing comes back.
///
/// `f`: a lambda or function object that is trivially copyable, or a function pointer. Arguments go by value. Small
/// statements to one destination travel together; they leave when their buffer is full, at any wait whose event has not
/// come yet, poll or fence, or at `flush()`. Complete at the next `fence()`, with all that the body caused; statements of one
/// rank to another run in their order. What a body throws is thrown by the next fence, on every rank. From the rank's own code it
/// may run incoming bodies, when there is no room at `dest`; from inside a body never. Cost: a copy of the arguments; no
/// allocation. Errors: usage_error when `dest` is no rank. Paper: STAPL, section 5 (async_rmi), aggregation in 6.3.
template <class F, class... A>
  requires(!std::is_convertible_v<std::decay_t<F>, rank_t>)
void async(rank_t dest, F&& f, A&&... arguments) {
  (require_sendable<detail::sent_as<A>>(), ...);
  detail::check_body<F, A...>();
  if constexpr (detail::can_call<F, A...>) {
    detail::sending& out = *detail::head_here("async").out;
    detail::send_statement<typename detail::callable_of<F>::type, detail::sent_as<A>...>(
        out, detail::lane_for<typename detail::callable_of<F>::type>(out, out.checked(dest, "async")),
        detail::callable_of<F>::portable(f, "async"), arguments...);
  }
}

/// The same for a function that is named at compile time: `async<&function>(dest, arguments...)`.
template <auto F, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
void async(rank_t dest, A&&... arguments) {
  async(dest, detail::constant_function<F>{}, std::forward<A>(arguments)...);
}

// The compiler shows this line for a function that is overloaded: it names the remedy.
// clang-format off
void async(rank_t dest, ...) = delete;  // armilla: name ONE function, static_cast<void (*)(int)>(&f), a lambda or a function object
// clang-format on

// What is easily written otherwise says how it is written.
template <detail::body_in_front F, class... A>
void async(F&&, rank_t, A&&...) {
  static_assert(detail::dependent_false<F>, "armilla: the rank comes first, then the body: async(rank, f, arguments...)");
}

/// Statement to every rank of the start, this one included if it is one; those that have joined are not told. One rank calls it.
/// Complete at the next fence; errors as of `async`. Cost: a statement for each rank. Paper: STAPL, section 5 (broadcast_rmi).
template <class F, class... A>
  requires(!detail::names_many<std::decay_t<F>>)
void async_all(F&& f, const A&... arguments) {
  const rank_t ranks = detail::head_here("async_all").world_size;
  for (rank_t r = 0; r < ranks; ++r) async(r, f, arguments...);
}
template <auto F, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
void async_all(const A&... arguments) {
  async_all(detail::constant_function<F>{}, arguments...);
}

/// Statement to every member of `members`, in the order of their numbers. One member calls it. `members.fence()` completes it.
/// Errors: usage_error for the empty team.
template <class F, class... A>
void async_all(const team& members, F&& f, const A&... arguments) {
  const rank_t size = detail::require_members(members, "async_all");
  for (rank_t i = 0; i < size; ++i) async(members.world_rank(i), f, arguments...);
}
template <auto F, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
void async_all(const team& members, const A&... arguments) {
  async_all(members, detail::constant_function<F>{}, arguments...);
}

}  // namespace armilla
