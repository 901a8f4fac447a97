// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>

#include "armilla/rpc/call_all_inline.hpp"

namespace armilla {

/// Runs `f(arguments...)` on every rank with which the job started, and returns a future of all results, in the order of the
/// ranks.
///
/// One rank calls it. The future is a `future<std::vector<R>>`, or a `future<void>` if `f` returns nothing. Results are default
/// constructible. What all ranks ask at the same time costs less as a collective: `all_reduce`, `all_gather`.
///
///     std::vector<long> loads = am::call_all(&load_of_this_rank).get();
///
/// Errors are those of `call`; `get()` throws the one that came first. Cost: a call and an allocation for each rank.
///
/// Paper: STAPL, section 5 (collect_rmi).
template <class F, class... A>
  requires(!detail::names_many<std::decay_t<F>> && std::is_invocable_v<F&, const A&...>)
[[nodiscard]] auto call_all(F&& f, const A&... arguments) {
  return detail::ask_all(detail::head_here("call_all").world_size, [](rank_t r) { return r; }, f, arguments...);
}

/// Runs the function `F` on every rank: `call_all<&function>(arguments...)`.
template <auto F, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
[[nodiscard]] auto call_all(const A&... arguments) {
  return call_all(detail::constant_function<F>{}, arguments...);
}

/// Runs `f(arguments...)` on every member of `members`, and returns a future of all results, in the order of their numbers. One
/// member calls it. Throws `usage_error` for the empty team.
template <class F, class... A>
  requires std::is_invocable_v<F&, const A&...>
[[nodiscard]] auto call_all(const team& members, F&& f, const A&... arguments) {
  const auto rank_at = [&members](rank_t i) { return members.world_rank(i); };
  return detail::ask_all(detail::require_members(members, "call_all"), rank_at, f, arguments...);
}

/// Runs the function `F` on every member of `members`: `call_all<&function>(members, arguments...)`.
template <auto F, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
[[nodiscard]] auto call_all(const team& members, const A&... arguments) {
  return call_all(members, detail::constant_function<F>{}, arguments...);
}

}  // namespace armilla
