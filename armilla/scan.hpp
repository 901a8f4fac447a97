// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <utility>

#include "armilla/algorithm/elementwise/scan_inline.hpp"

/// Scans: each element combined with all that come before it.
///
///     am::inclusive_scan(x, y);                                // y[i] = x[0] + ... + x[i]
///     am::exclusive_scan(counts, offsets, std::size_t(0));     // offsets[i] = counts[0] + ... + counts[i - 1]
///
/// All members of the ranges' team call them. `in` and `out` may be the same range. `op` is associative; it need not be
/// commutative.
///
/// **Errors.** Throws `usage_error` on all members if `out` has fewer elements than `in`, or shares some with it at other
/// indices. What a function throws ends the algorithm with `remote_error` on all.
///
/// **Cost.** Two passes and two collectives: each member folds its elements, all learn all folds, each goes through its elements
/// again. If `out` is distributed cyclically, the sums are made in blocks first, and copied: one pass and one exchange more.
namespace armilla {

/// Sets element i of `out` to `e0 op ... op ei`.
template <distributed_range In, distributed_range Out, class Op = std::plus<>>
void inclusive_scan(In&& in, Out&& out, Op op = {}) {
  detail::scan_all<detail::scan_kind::inclusive>(detail::reading(in), views::all(out), "inclusive_scan",
                                                 detail::part<detail::range_value<Out>>{}, std::move(op), std::identity{});
}

/// Sets element i of `out` to `init op e0 op ... op ei`.
template <distributed_range In, distributed_range Out, class Op, class T>
void inclusive_scan(In&& in, Out&& out, Op op, T init) {
  detail::scan_all<detail::scan_kind::inclusive>(detail::reading(in), views::all(out), "inclusive_scan",
                                                 detail::part<T>{std::move(init), true}, std::move(op), std::identity{});
}

/// Sets element i of `out` to `init op e0 op ... op e(i-1)`.
template <distributed_range In, distributed_range Out, class T, class Op = std::plus<>>
void exclusive_scan(In&& in, Out&& out, T init, Op op = {}) {
  detail::scan_all<detail::scan_kind::exclusive>(detail::reading(in), views::all(out), "exclusive_scan",
                                                 detail::part<T>{std::move(init), true}, std::move(op), std::identity{});
}

/// Sets element i of `out` to `f(e0) op ... op f(ei)`.
template <distributed_range In, distributed_range Out, class Op, class F>
void transform_inclusive_scan(In&& in, Out&& out, Op op, F f) {
  detail::scan_all<detail::scan_kind::inclusive>(detail::reading(in), views::all(out), "transform_inclusive_scan",
                                                 detail::part<detail::range_value<Out>>{}, std::move(op), std::move(f));
}

/// Sets element i of `out` to `init op f(e0) op ... op f(e(i-1))`.
template <distributed_range In, distributed_range Out, class T, class Op, class F>
void transform_exclusive_scan(In&& in, Out&& out, T init, Op op, F f) {
  detail::scan_all<detail::scan_kind::exclusive>(detail::reading(in), views::all(out), "transform_exclusive_scan",
                                                 detail::part<T>{std::move(init), true}, std::move(op), std::move(f));
}

/// Does the same as `inclusive_scan`, of which it is the older name.
template <distributed_range In, distributed_range Out, class Op = std::plus<>>
void partial_sum(In&& in, Out&& out, Op op = {}) {
  const detail::algorithm_call all("partial_sum");
  const detail::without_end last(all);
  armilla::inclusive_scan(in, out, std::move(op));
}

/// Scans each group of equal keys that follow each other: sets element i of `out` to the sum of the values from the first one of
/// the group to the i-th.
///
/// Neighbors are in one group if `same` holds for their keys; it is called once for each element. Throws `usage_error` on all if
/// `values` or `out` has fewer elements than `keys`. Cost: room for all values and a flag each, and four passes.
template <distributed_range Keys, distributed_range Values, distributed_range Out, class Op = std::plus<>,
          class Same = std::equal_to<>>
void inclusive_scan_by_key(Keys&& keys, Values&& values, Out&& out, Op op = {}, Same same = {});

/// Sets element 0 of `out` to e0, and element i to `ei - e(i-1)`, or `op(ei, e(i-1))`. The ranges may overlap in any way; then
/// the input is copied first.
template <distributed_range In, distributed_range Out, class Op = std::minus<>>
void adjacent_difference(In&& in, Out&& out, Op op = {});

// ---- Implementation only below ----

template <distributed_range Keys, distributed_range Values, distributed_range Out, class Op, class Same>
void inclusive_scan_by_key(Keys&& keys, Values&& values, Out&& out, Op op, Same same) {
  detail::require_function(same, "inclusive_scan_by_key");
  detail::require_function(op, "inclusive_scan_by_key");
  const detail::algorithm_call all("inclusive_scan_by_key");
  const auto k = detail::require_sized(detail::reading(keys));
  const auto v = detail::require_sized(detail::reading(values));
  const auto to = detail::require_sized(views::all(out));
  const std::size_t n = k.extent();
  detail::require_room("inclusive_scan_by_key", n, v.extent());
  detail::require_room("inclusive_scan_by_key", n, to.extent());
  if (n == 0) return;
  using element = detail::element_of_row<detail::range_value<Out>>;
  array<element> rows(n, on(to.members()));
  {
    const detail::without_end first;  // the other elements end both
    armilla::transform(views::take(v, 1), rows, [](const auto& value) { return element{value, true}; });
  }
  armilla::transform(views::zip(views::drop(k, 1), views::take(k, n - 1), views::take(views::drop(v, 1), n - 1)),
                     views::drop(rows, 1), [&same](const auto& key, const auto& before, const auto& value) {
                       return element{value, !bool(std::invoke(same, before, key))};
                     });
  armilla::inclusive_scan(rows, rows, [&op](const element& a, const element& b) {
    return b.begins ? b : element{detail::range_value<Out>(std::invoke(op, a.value, b.value)), a.begins};
  });
  const detail::without_end last(all);
  armilla::transform(std::as_const(rows), to, &element::value);
}

template <distributed_range In, distributed_range Out, class Op>
void adjacent_difference(In&& in, Out&& out, Op op) {
  const detail::algorithm_call all("adjacent_difference");
  const auto v = detail::require_sized(detail::reading(in));
  const auto to = views::all(out);
  const std::size_t n = v.extent();
  detail::require_room("adjacent_difference", n, to.extent());
  if (n == 0) return;
  if (detail::overlap_of(v, n, to, n) != detail::overlap::none) {
    array<typename std::remove_cvref_t<decltype(v)>::value_type> before(n, on(to.members()));
    armilla::copy(v, before);
    const detail::without_end last(all);
    return armilla::adjacent_difference(std::as_const(before), to, std::move(op));
  }
  {
    const detail::without_end first;  // the differences end both
    armilla::copy(views::take(v, 1), to);
  }
  const detail::without_end last(all);
  armilla::transform(views::drop(v, 1), views::take(v, n - 1), views::drop(to, 1), std::move(op));
}

}  // namespace armilla
