// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "armilla/dialect/stapl_pvector.hpp"
#include "armilla/elementwise.hpp"
#include "armilla/fold.hpp"
#include "armilla/query.hpp"
#include "armilla/sort.hpp"
#include "armilla/sorted_ranges.hpp"

/// STAPL's algorithms, under its names: those of the library. By all nodes together; complete when they return. The paper's own
/// are here; `armilla/dialect/stapl_every_algorithm.hpp` has all others.
namespace armilla::stapl {

/// A range of STAPL's algorithms: everything that is made of a container of the library, `elements()`.
template <class C>
concept pcontainer = requires(C& c) { c.elements(); };
/// The type of an element of it.
template <pcontainer C>
using element_of = typename std::remove_cvref_t<decltype(std::declval<C&>().elements())>::value_type;

template <pcontainer V, class Less = std::less<>>
void p_sort(V&& v, Less less = {}) {
  sort(v.elements(), less);
}
template <pcontainer V, pcontainer W>
void p_copy(const V& from, W&& to) {
  copy(from.elements(), to.elements());
}
/// The index of the first element that equals `x`: of several nodes that have one, the lowest node's ("node 0's result has
/// precedence"), which in blocks is the lowest index. Paper: STAPL, section 5.3.
template <pcontainer V>
std::optional<std::size_t> p_find(const V& v, const element_of<V>& x) {
  const std::size_t at = find(v.elements(), x);
  return at == npos ? std::nullopt : std::optional(at);
}
template <pcontainer A, pcontainer B, pcontainer Into, class Less = std::less<>>
void p_merge(const A& a, const B& b, Into&& into, Less less = {}) {
  merge(a.elements(), b.elements(), into.elements(), less);
}
template <pcontainer A, pcontainer B, class Sum = element_of<A>>
Sum p_inner_product(const A& a, const B& b, Sum first = {}) {
  return inner_product(a.elements(), b.elements(), first);
}
template <pcontainer V, class F>
void p_for_each(V&& v, F f) {
  for_each(v.elements(), std::move(f));
}
template <pcontainer V, class Sum = element_of<V>, class Op = std::plus<>>
Sum p_accumulate(const V& v, Sum first = {}, Op op = {}) {
  return reduce(v.elements(), first, op);
}

}  // namespace armilla::stapl
