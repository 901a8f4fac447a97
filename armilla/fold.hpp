// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "armilla/algorithm/elementwise/fold_inline.hpp"

/// Algorithms that make one value of all elements: sums, extremes, histograms.
///
///     const double sum = am::reduce(x), largest = am::max(x), length = am::norm(x);
///     const long even = am::transform_reduce(x, 0L, std::plus<>{}, [](double e) { return long(e) % 2 == 0 ? 1L : 0L; });
///
/// All members of the range's team call them, and get the same value, to the bit.
///
/// **Grouping.** `reduce` and the like may regroup and reorder, so their operation must be associative and commutative. Their
/// bits depend on the size and the distribution only. `am::reproducible` as the first argument makes them independent of the
/// distribution (armilla/reproducible.hpp). `accumulate` and `fold_left` keep the order.
///
/// **Errors.** What a function throws ends the algorithm: all members throw `remote_error` with the text and the index of the
/// element.
///
/// **Cost.** One pass over the local elements and one collective, in which the value and the agreement are sent together.
namespace armilla {

/// Returns `init op e0 op e1 ...`, in any grouping and order.
template <distributed_range R, class T, class Op = std::plus<>>
T reduce(R&& r, T init, Op op = {}) {
  return detail::fold_from<T>(detail::reading(r), "reduce", std::move(init), op, detail::the_element);
}

/// Returns the sum of the elements.
template <distributed_range R>
auto reduce(R&& r) {
  return armilla::reduce(r, detail::range_value<R>());
}

/// Returns `init op f(e0) op f(e1) ...`, in any grouping and order.
template <distributed_range R, class T, class Op, class F>
  requires(!distributed_range<T>)
T transform_reduce(R&& r, T init, Op op, F f) {
  detail::require_function(f, "transform_reduce");
  return detail::fold_from<T>(detail::reading(r), "transform_reduce", std::move(init), op,
                              [&f](const auto& c, std::size_t k) -> decltype(auto) { return detail::apply_at(f, c, k); });
}

/// Returns `init op f(a0, b0) op f(a1, b1) ...` of two ranges, as many elements as the shorter one has. Without functions it is
/// the inner product.
template <distributed_range A, distributed_range B, class T, class Op = std::plus<>, class F = std::multiplies<>>
T transform_reduce(A&& a, B&& b, T init, Op op = {}, F f = {}) {
  return armilla::transform_reduce(views::zip(detail::reading(a), detail::reading(b)), std::move(init), std::move(op),
                                   std::move(f));
}

/// Returns `init op f(a0, b0) op ...`, as `transform_reduce` of two ranges.
template <distributed_range A, distributed_range B, class T, class Op = std::plus<>, class F = std::multiplies<>>
T inner_product(A&& a, B&& b, T init, Op op = {}, F f = {}) {
  const detail::algorithm_call whole("inner_product");
  return armilla::transform_reduce(a, b, std::move(init), std::move(op), std::move(f));
}

/// Returns the inner product of two ranges of numbers.
template <distributed_range A, distributed_range B>
auto inner_product(A&& a, B&& b) {
  const detail::algorithm_call whole("inner_product");
  return armilla::transform_reduce(a, b, decltype(detail::range_value<A>() * detail::range_value<B>())());
}

/// Returns the mean of numbers. Throws `usage_error` on all members if the range is empty.
template <distributed_range R>
double mean(R&& r);

/// Returns the square root of the sum of squares.
template <distributed_range R>
double norm(R&& r) {
  const detail::algorithm_call whole("norm");
  return std::sqrt(armilla::transform_reduce(r, 0.0, std::plus<>{}, [](const auto& e) { return double(e) * double(e); }));
}

/// Returns the index of the first smallest element; `npos` of an empty range.
///
/// NaNs come last, as in sorts: with the comparators of the standard library, this and the following functions return a NaN only
/// if there is nothing else, the first one then.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
std::size_t min_element(R&& r, Less less = {}, Projection of = {}) {
  return detail::best_of(r, "min_element", detail::projected(less, of)).value.index;
}

/// Returns the index of the first largest element; `npos` of an empty range.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
std::size_t max_element(R&& r, Less less = {}, Projection of = {}) {
  return detail::best_of(r, "max_element", detail::projected_back(less, of)).value.index;
}

/// Returns the indices of both. Cost: two passes.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
std::pair<std::size_t, std::size_t> minmax_element(R&& r, Less less = {}, Projection of = {}) {
  const detail::algorithm_call whole("minmax_element");
  return {armilla::min_element(r, less, of), armilla::max_element(r, less, of)};
}

/// Returns the smallest element, chosen as by `min_element`. Throws `usage_error` on all members for an empty range.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
auto min(R&& r, Less less = {}, Projection of = {}) {
  return detail::require_some("min", detail::best_of(r, "min", detail::projected(less, of)));
}

/// Returns the largest element, chosen as by `max_element`. Throws `usage_error` on all members for an empty range.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
auto max(R&& r, Less less = {}, Projection of = {}) {
  return detail::require_some("max", detail::best_of(r, "max", detail::projected_back(less, of)));
}

/// Returns both. Cost: two passes.
template <distributed_range R, class Less = std::less<>, class Projection = std::identity>
auto minmax(R&& r, Less less = {}, Projection of = {}) {
  const detail::algorithm_call whole("minmax");
  return std::pair(armilla::min(r, less, of), armilla::max(r, less, of));
}

/// Returns how many elements are in each of `buckets` intervals of equal width of [low, high), as doubles.
///
/// Elements outside are not counted, nor are infinities and NaNs. Throws `usage_error` if `low` is not less than `high`, or if
/// one of them is infinite or not a number. Throws `limit_error` on all members for more buckets than their memory holds.
template <distributed_range R>
std::vector<std::uint64_t> histogram(R&& r, std::size_t buckets, double low, double high);

/// Returns `op(... op(op(init, e0), e1) ..., en)`, strictly from the first element to the last.
///
/// Cost: no parallelism. In blocks, a message from member to member; with a cyclic distribution, the first member reads all
/// elements.
template <distributed_range R, class T, class Op>
T fold_left(R&& r, T init, Op op) {
  return detail::fold_in_order(detail::reading(r), "fold_left", std::move(init), op);
}

/// Returns `fold_left` with `+`, or with `op`.
template <distributed_range R, class T, class Op = std::plus<>>
T accumulate(R&& r, T init, Op op = {}) {
  return detail::fold_in_order(detail::reading(r), "accumulate", std::move(init), op);
}

// ---- Implementation only below ----

template <distributed_range R>
double mean(R&& r) {
  const detail::algorithm_call whole("mean");
  const auto v = detail::reading(r);
  if constexpr (decltype(v.reading())::sized) {
    const double sum = armilla::transform_reduce(v, 0.0, std::plus<>{}, [](const auto& e) { return double(e); });
    return detail::mean_of(sum, v.extent());
  } else {
    const auto add = [](const detail::tally& a, const detail::tally& b) { return detail::tally{a.sum + b.sum, a.n + b.n}; };
    const auto all =
        armilla::transform_reduce(v, detail::tally{}, add, [](const auto& e) { return detail::tally{double(e), 1}; });
    return detail::mean_of(all.sum, all.n);
  }
}

template <distributed_range R>
std::vector<std::uint64_t> histogram(R&& r, std::size_t buckets, double low, double high) {
  detail::require_bounds(low, high);
  const auto v = detail::reading(r);
  detail::algorithm_call why("histogram", v);
  detail::enter(v);
  std::vector<std::uint64_t> count = detail::make_buckets(v.members(), buckets, why);
  const detail::bucket_bounds bounds(low, high, buckets);
  detail::walk(v, why, [&](const auto c, std::size_t n, const detail::indices& at) {
    detail::each_of_piece(c, n, at, why, [&](std::size_t k) {
      const double x = double(c[k]);
      if (bounds.has(x)) ++count[bounds.place(x)];
    });
    return !why.happened();
  });
  detail::agree(v.members(), "histogram", why);
  v.members().all_reduce(std::span(count), std::plus<>{});
  return count;
}

}  // namespace armilla
