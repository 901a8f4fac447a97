// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/top_k.hpp"

/// The inputs of what brings equal keys together.
namespace armilla::detail {

template <class R>
decltype(auto) part_of(R& items) {
  if constexpr (requires { items.local(); })
    return items.local();
  else
    return (items);
}
template <class R>
team members_of(const R& items) {
  if constexpr (requires { items.members(); })
    return items.members();
  else
    return world();
}

template <class R>
using element_in = decltype(*std::declval<decltype(part_of(std::declval<R&>()))&>().begin());
template <class R, class Proj>
using projected_in = std::decay_t<std::invoke_result_t<Proj&, element_in<R>>>;
/// A text that a view names lies in a container as a text of its own.
template <class T>
using kept = std::conditional_t<std::is_same_v<T, std::string_view>, std::string, T>;

/// Calls f(e) for what this rank has, and fences. What an input or a projection throws on one rank, all throw.
template <class R, class F>
void each_then_fence(R& items, const team& t, const char* operation, F f) {
  algorithm_call why(operation);
  std::size_t n = 0;
  try {
    const in_functions here;
    for (auto&& e : part_of(items)) f(e), ++n;
  } catch (...) { why.note(); }
  count_elements(n);
  t.fence();
  agree(t, operation, why);
}

}  // namespace armilla::detail
