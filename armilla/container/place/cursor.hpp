// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

/// What a view makes of a run of elements: an object with [k], as a pointer has it. A cursor may have two members more:
/// `passes(k)` says whether a filter lets element k through, `apply(f, k)` gives f the parts of element k one by one.
namespace armilla::detail {

template <class C>
concept filters = requires(const C& c) { c.passes(std::size_t{}); };
template <class C, class F>
concept applies_parts = requires(const C& c, F& f) { c.apply(f, std::size_t{}); };

template <class C>
[[gnu::always_inline]] inline bool passes(const C& c, std::size_t k) {
  if constexpr (filters<C>)
    return c.passes(k);
  else
    return true;
}

/// f of element k: of its parts if f takes them, else of the element.
template <class C, class F>
[[gnu::always_inline]] inline decltype(auto) apply_at(F& f, const C& c, std::size_t k) {
  if constexpr (applies_parts<C, F>)
    return c.apply(f, k);
  else
    return std::invoke(f, c[k]);
}
template <class C, class F>
using applied = decltype(apply_at(std::declval<F&>(), std::declval<const C&>(), std::size_t{}));

template <class C>
using cursor_element = decltype(std::declval<const C&>()[std::size_t{}]);

}  // namespace armilla::detail
