// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>

#include "armilla/rpc/call_all_inline.hpp"

namespace armilla {

/// Question to every rank of the start, this one included if it is one: runs `f(arguments...)` on each, and gives a future of all
/// replies in the order of the ranks (a `future<void>` if there are none). One rank calls it; the bodies run as for `call`.
///
///     std::vector<long> loads = am::call_all(&load_of_this_rank).get();
///
/// Answers are default constructible. Errors: as `call`; the first that came. Cost: a question and an allocation for each rank.
/// What all ranks ask at the same time costs less as a collective: `all_reduce`, `all_gather`.
/// Paper: STAPL, section 5 (collect_rmi).
template <class F, class... A>
  requires(!detail::names_many<std::decay_t<F>> && std::is_invocable_v<F&, const A&...>)
[[nodiscard]] auto call_all(F&& f, const A&... arguments) {
  return detail::ask_all(detail::head_here("call_all").world_size, [](rank_t r) { return r; }, f, arguments...);
}
template <auto F, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
[[nodiscard]] auto call_all(const A&... arguments) {
  return call_all(detail::constant_function<F>{}, arguments...);
}

/// Question to every member of `members`; the replies stand in the order of their numbers. One member calls it. Errors:
/// usage_error for the empty team.
template <class F, class... A>
  requires std::is_invocable_v<F&, const A&...>
[[nodiscard]] auto call_all(const team& members, F&& f, const A&... arguments) {
  const auto rank_at = [&members](rank_t i) { return members.world_rank(i); };
  return detail::ask_all(detail::require_members(members, "call_all"), rank_at, f, arguments...);
}
template <auto F, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
[[nodiscard]] auto call_all(const team& members, const A&... arguments) {
  return call_all(members, detail::constant_function<F>{}, arguments...);
}

}  // namespace armilla
