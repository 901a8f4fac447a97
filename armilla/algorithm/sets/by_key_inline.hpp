// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/algorithm/elementwise/walk.hpp"
#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/top_k.hpp"

/// The inputs of what brings equal keys together.
namespace armilla::detail {

/// A view of distributed elements, not a container, which gives its local ones.
template <class R>
concept view_of_elements = range_view<std::remove_cv_t<R>> && !requires(R& items) { items.local(); };

/// Copies of this rank's elements of a view. All members call it: those of others that it reads must be there.
template <class V>
auto elements_here(const V& view) {
  const auto v = view.reading();
  std::vector<typename V::value_type> all;
  enter(v);
  const in_functions here;
  const auto take = [&all](const auto& c, std::size_t n, const indices&) {
    for (std::size_t k = 0; k < n; ++k)
      if (passes(c, k)) all.push_back(typename V::value_type(c[k]));
    return true;
  };
  scratch fetched;
  for (std::size_t i = v.next_on(v.members().rank(), 0); i < v.extent(); i = v.next_on(v.members().rank(), i))
    go_through(v, i, v.run_at(i).end, fetched, take);
  fetched.finish();
  return all;
}

template <class R>
decltype(auto) part_of(R& items) {
  each_container_of(items, enter_container);
  if constexpr (requires { items.local(); })
    return items.local();
  else if constexpr (view_of_elements<R>)
    return elements_here(items);
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

/// Calls f(e) for what this rank has, then end(), and fences. What an input or a projection throws on one rank, all throw.
template <class R, class F, class End>
void each_then_fence(R& items, const team& t, const char* operation, F f, End end) {
  algorithm_call why(operation);
  std::size_t n = 0;
  try {
    auto&& part = part_of(items);  // of a view, members may meet there
    const in_functions here;
    if constexpr (requires { std::ranges::size(part); }) expect_work(std::ranges::size(part), "elements");
    for (auto&& e : part) {
      f(e);
      if ((++n & 0xffff) == 0) count_work(0x10000);
    }
    end();
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  count_elements(n);
  t.fence();
  agree(t, operation, why);
}
template <class R, class F>
void each_then_fence(R& items, const team& t, const char* operation, F f) {
  each_then_fence(items, t, operation, f, [] {});
}

}  // namespace armilla::detail
