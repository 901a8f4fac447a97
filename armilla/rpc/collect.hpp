// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/rpc/question.hpp"
#include "armilla/team/collectives.hpp"

namespace armilla {

namespace detail {

/// Asks `f(arguments...)` of the ranks `rank_at(0)` .. `rank_at(size - 1)`, all at a time, and folds the answers in this order.
template <class RankAt, class F, class Op, class... A>
auto ask_and_fold(rank_t size, RankAt rank_at, F& f, Op& op, const A&... arguments) {
  using R = answer_of<typename callable_of<F>::type, A...>;
  std::vector<future<R>> answers;
  answers.reserve(std::size_t(size));
  for (rank_t i = 0; i < size; ++i) answers.push_back(call(rank_at(i), f, arguments...));
  R result = answers[0].get();
  for (std::size_t i = 1; i < answers.size(); ++i) result = op(std::move(result), answers[i].get());
  return result;
}

}  // namespace detail

/// Asks every rank `f(arguments...)` and combines the answers in the order of the ranks: `op(op(a0, a1), a2)...`. Called by all
/// ranks, each evaluates its own part; the result is the same everywhere, to the bit.
/// Paper: STAPL, section 5 (collect_rmi).
template <class F, class Op, class... A>
  requires std::is_invocable_v<F&, const A&...>
auto collect(F&& f, Op op, const A&... arguments) {
  return reduce_all(f(arguments...), op);
}
template <auto F, class Op, class... A>
  requires(!std::is_member_pointer_v<decltype(F)> && !std::is_same_v<Op, team>)
auto collect(Op op, const A&... arguments) {
  return reduce_all(F(arguments...), op);
}

/// The same for the members of a team; all call it. The answers stand in the order of their numbers.
template <class F, class Op, class... A>
  requires std::is_invocable_v<F&, const A&...>
auto collect(const team& members, F&& f, Op op, const A&... arguments) {
  return members.reduce_all(f(arguments...), op);
}
template <auto F, class Op, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
auto collect(const team& members, Op op, const A&... arguments) {
  return members.reduce_all(F(arguments...), op);
}

/// `collect` from one rank alone: the others need not take part, their bodies run as for `call`. Waits for all answers.
template <class F, class Op, class... A>
  requires std::is_invocable_v<F&, const A&...>
auto collect_alone(F&& f, Op op, const A&... arguments) {
  const auto rank_at = [](rank_t r) { return r; };
  return detail::ask_and_fold(detail::here("collect_alone").ranks, rank_at, f, op, arguments...);
}
template <auto F, class Op, class... A>
  requires(!std::is_member_pointer_v<decltype(F)> && !std::is_same_v<Op, team>)
auto collect_alone(Op op, const A&... arguments) {
  return collect_alone(detail::constant_function<F>{}, op, arguments...);
}

/// The same over the members of a team. Errors: usage_error for the empty team.
template <class F, class Op, class... A>
  requires std::is_invocable_v<F&, const A&...>
auto collect_alone(const team& members, F&& f, Op op, const A&... arguments) {
  const auto rank_at = [&members](rank_t i) { return members.world_rank(i); };
  return detail::ask_and_fold(detail::require_members(members, "collect_alone"), rank_at, f, op, arguments...);
}
template <auto F, class Op, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
auto collect_alone(const team& members, Op op, const A&... arguments) {
  return collect_alone(members, detail::constant_function<F>{}, op, arguments...);
}

}  // namespace armilla
