// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/rpc/question.hpp"
#include "armilla/team/collectives.hpp"

namespace armilla {

/// Asks every rank `f(arguments...)` and combines the answers in the order of the ranks: `op(op(a0, a1), a2)...`. Called by all
/// ranks, each evaluates its own part; the result is the same everywhere, to the bit.
/// Paper: STAPL, section 5 (collect_rmi).
template <class F, class Op, class... A>
  requires std::is_invocable_v<F&, const A&...>
auto collect(F&& f, Op op, const A&... arguments) {
  return reduce_all(f(arguments...), op);
}
template <auto F, class Op, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
auto collect(Op op, const A&... arguments) {
  return reduce_all(F(arguments...), op);
}

/// The same from one rank alone: the others need not take part, their bodies run as for `call`. Waits for all answers.
template <class F, class Op, class... A>
  requires std::is_invocable_v<F&, const A&...>
auto collect_alone(F&& f, Op op, const A&... arguments) {
  using R = detail::answer_of<typename detail::callable_of<F>::type, A...>;
  const rank_t ranks = detail::here("collect_alone").ranks;
  std::vector<future<R>> answers;
  answers.reserve(std::size_t(ranks));
  for (rank_t r = 0; r < ranks; ++r) answers.push_back(call(r, f, arguments...));
  R result = answers[0].get();
  for (std::size_t r = 1; r < answers.size(); ++r) result = op(std::move(result), answers[r].get());
  return result;
}
template <auto F, class Op, class... A>
  requires(!std::is_member_pointer_v<decltype(F)>)
auto collect_alone(Op op, const A&... arguments) {
  return collect_alone(detail::constant_function<F>{}, op, arguments...);
}

}  // namespace armilla
