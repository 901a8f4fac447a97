// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "armilla/call.hpp"
#include "armilla/team.hpp"
#include "armilla/when_all.hpp"

// What the templates of call_all.hpp are made of.
namespace armilla::detail {

/// Asks `f(arguments...)` of the ranks `rank_at(0)` .. `rank_at(size - 1)`, all at a time.
template <class RankAt, class F, class... A>
auto ask_all(rank_t size, RankAt rank_at, F& f, const A&... arguments) {
  using R = result_of<typename callable_of<F>::type, A...>;
  std::vector<future<R>> replies;
  replies.reserve(std::size_t(size));
  for (rank_t i = 0; i < size; ++i) replies.push_back(call(rank_at(i), f, arguments...));
  return when_all(std::move(replies));
}

}  // namespace armilla::detail
