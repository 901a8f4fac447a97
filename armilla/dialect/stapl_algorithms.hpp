// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <utility>

#include "armilla/algorithm/elementwise.hpp"
#include "armilla/algorithm/fold.hpp"
#include "armilla/algorithm/query.hpp"
#include "armilla/algorithm/sort.hpp"
#include "armilla/algorithm/sorted_ranges.hpp"
#include "armilla/dialect/stapl_pvector.hpp"

/// STAPL's algorithms, under its names: those of the library. By all nodes together; complete when they return.
namespace armilla::stapl {

template <class T, class Less = std::less<>>
void p_sort(pvector<T>& v, Less less = {}) {
  sort(v.elements(), less);
}
template <class T>
void p_copy(const pvector<T>& from, pvector<T>& to) {
  copy(from.elements(), to.elements());
}
/// The index of the first element that equals `x`: of several nodes that have one, the lowest node's ("node 0's result has
/// precedence"), which in blocks is the lowest index. Paper: STAPL, section 5.3.
template <class T>
std::optional<std::size_t> p_find(const pvector<T>& v, const T& x) {
  const std::size_t at = find(v.elements(), x);
  return at == npos ? std::nullopt : std::optional(at);
}
template <class T, class Less = std::less<>>
void p_merge(const pvector<T>& a, const pvector<T>& b, pvector<T>& into, Less less = {}) {
  merge(a.elements(), b.elements(), into.elements(), less);
}
template <class T, class Sum = T>
Sum p_inner_product(const pvector<T>& a, const pvector<T>& b, Sum first = {}) {
  return inner_product(a.elements(), b.elements(), first);
}
template <class T, class F>
void p_for_each(pvector<T>& v, F f) {
  for_each(v.elements(), std::move(f));
}
template <class T, class Sum = T, class Op = std::plus<>>
Sum p_accumulate(const pvector<T>& v, Sum first = {}, Op op = {}) {
  return reduce(v.elements(), first, op);
}

}  // namespace armilla::stapl
