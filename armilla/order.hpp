// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <utility>

#include "armilla/algorithm/order/moves_inline.hpp"
#include "armilla/algorithm/order/order_inline.hpp"

/// Sorts other than `sort`: of keys with values, of indices, and partial sorts.
///
/// All members of the range's team call them. Comparators, floating-point numbers and errors are as for `sort`
/// (armilla/sort.hpp).
///
///     const am::vector<std::size_t> by_price = am::argsort(prices);       // prices[by_price[0]] is the least one
///     am::partial_sort(prices, 10);                                       // the ten least ones come first
namespace armilla {

/// Sorts `keys`, and moves the elements of `values` in the same way. Equal keys stay in the order of their indices.
///
/// Throws `usage_error` unless both have the same length and share no elements. Cost: a stable sort of pairs, and two passes.
template <distributed_range Keys, distributed_range Values, class Comp = std::ranges::less>
void sort_by_key(Keys&& keys, Values&& values, Comp comp = {}) {
  detail::require_function(comp, "sort_by_key");
  detail::sort_keyed(detail::require_sized(views::all(keys)), detail::require_sized(views::all(values)), comp);
}

/// Returns the indices of the elements in the order that `sort` would give them: `r[argsort(r)[i]]` is the i-th. Equal elements
/// are in the order of their indices. The range does not change. Cost: a stable sort of pairs of element and index.
template <distributed_range R, class Comp = std::ranges::less, class Proj = std::identity>
vector<std::size_t> argsort(R&& r, Comp comp = {}, Proj proj = {});

/// Moves to index `nth` the element that a sort would put there. No element before it comes after it in the order, and none after
/// it before.
///
/// Cost: two or three passes and a sort of some percent of the elements, most often; room for all elements once more.
template <distributed_range R, class Comp = std::ranges::less, class Proj = std::identity>
void nth_element(R&& r, std::size_t nth, Comp comp = {}, Proj proj = {});

/// Moves the first `n` elements of the sorted range to the front, in order. The others are in no order. Cost: as `nth_element`,
/// and a sort of `n` elements.
template <distributed_range R, class Comp = std::ranges::less, class Proj = std::identity>
void partial_sort(R&& r, std::size_t n, Comp comp = {}, Proj proj = {});

/// Copies the first elements of the sorted range to `out`, as many as it has room for, and returns their number.
template <distributed_range In, distributed_range Out, class Comp = std::ranges::less, class Proj = std::identity>
std::size_t partial_sort_copy(In&& in, Out&& out, Comp comp = {}, Proj proj = {});

// ---- Implementation only below ----

template <distributed_range R, class Comp, class Proj>
vector<std::size_t> argsort(R&& r, Comp comp, Proj proj) {
  const detail::algorithm_call all("argsort");
  const auto v = detail::require_sized(detail::reading(r));
  using T = typename std::remove_cvref_t<decltype(v)>::value_type;
  using pair = detail::keyed<T, std::size_t>;
  array<pair> both(v.extent(), detail::distributed_like(v));
  armilla::transform(v, views::iota(std::size_t{0}, v.extent()), both, [](const T& e, std::size_t i) { return pair{e, i}; });
  armilla::stable_sort(both, std::ref(comp),
                       [&proj](const pair& p) noexcept(std::is_nothrow_invocable_v<Proj&, const T&>) -> decltype(auto) {
                         return std::invoke(proj, p.key);
                       });
  vector<std::size_t> order(v.extent(), like(both));
  armilla::transform(std::as_const(both), order, &pair::value);
  return order;
}

template <distributed_range R, class Comp, class Proj>
void nth_element(R&& r, std::size_t nth, Comp comp, Proj proj) {
  detail::require_function(comp, "nth_element");
  detail::require_function(proj, "nth_element");
  const detail::algorithm_call all("nth_element");
  const auto v = detail::require_sized(views::all(r));
  detail::require_index("nth_element", nth, v.extent());
  detail::select(v, nth, "nth_element", comp, proj);
}

template <distributed_range R, class Comp, class Proj>
void partial_sort(R&& r, std::size_t n, Comp comp, Proj proj) {
  detail::require_function(comp, "partial_sort");
  detail::require_function(proj, "partial_sort");
  const detail::algorithm_call all("partial_sort");
  const auto v = detail::require_sized(views::all(r));
  detail::require_index("partial_sort", n, v.extent());
  detail::select(v, n, "partial_sort", comp, proj);
  armilla::sort(views::take(v, n), comp, proj);
}

template <distributed_range In, distributed_range Out, class Comp, class Proj>
std::size_t partial_sort_copy(In&& in, Out&& out, Comp comp, Proj proj) {
  const detail::algorithm_call whole("partial_sort_copy");
  const auto from = detail::require_sized(detail::reading(in));
  const auto to = detail::require_sized(views::all(out));
  const std::size_t n = std::min(from.extent(), to.extent());
  array<typename std::remove_cvref_t<decltype(from)>::value_type> all(from.extent(), on(to.members()));
  armilla::copy(from, all);
  armilla::partial_sort(all, n, comp, proj);
  armilla::copy(views::take(std::as_const(all), n), to);
  return n;
}

}  // namespace armilla
