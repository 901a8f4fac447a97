// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <functional>
#include <utility>

#include "armilla/algorithm/elementwise/reproducible_inline.hpp"

/// Folds whose bits depend neither on the number of ranks nor on the distribution: `am::reproducible` as the first argument.
///
/// Use them where results must be compared between runs on different numbers of ranks. Without it, folds have the same bits on
/// all members, and depend on size and distribution (armilla/fold.hpp).
///
///     const double sum = am::reduce(am::reproducible, x);
///
/// **How.** The indices fix a tree. The rank that has the first of each 1,024 elements folds them; these results are combined in
/// pairs, by their numbers. The operation must be associative. A range without a size is refused at compile time.
///
/// **Cost.** A collective at the beginning. Copies of elements beyond borders; of all elements if blocks of a cyclic distribution
/// are shorter than 1,024. One gathering of about 2 log(n / 1024) values from each rank for blocks, of all results for a cyclic
/// distribution.
namespace armilla {

/// The type of `am::reproducible`.
struct reproducible_t {};
inline constexpr reproducible_t reproducible{};

/// Returns `init op e0 op e1 ...`.
template <distributed_range R, class T, class Op = std::plus<>>
T reduce(reproducible_t, R&& r, T init, Op op = {}) {
  return detail::fold_by_tree(detail::reading(r), "reduce", std::move(init), op);
}

/// Returns the sum of the elements.
template <distributed_range R>
auto reduce(reproducible_t, R&& r) {
  return armilla::reduce(reproducible, r, detail::range_value<R>());
}

/// Returns `init op f(e0) op f(e1) ...`.
template <distributed_range R, class T, class Op, class F>
  requires(!distributed_range<T>)
T transform_reduce(reproducible_t, R&& r, T init, Op op, F f) {
  const auto values = views::transform(detail::reading(r), detail::converted<T, F>{std::move(f)});
  return detail::fold_by_tree(values, "transform_reduce", std::move(init), op);
}

/// Returns `init op f(a0, b0) op f(a1, b1) ...` of two ranges.
template <distributed_range A, distributed_range B, class T, class Op = std::plus<>, class F = std::multiplies<>>
T transform_reduce(reproducible_t, A&& a, B&& b, T init, Op op = {}, F f = {}) {
  return armilla::transform_reduce(reproducible, views::zip(detail::reading(a), detail::reading(b)), std::move(init),
                                   std::move(op), std::move(f));
}

/// Returns `init op f(a0, b0) op ...` of two ranges.
template <distributed_range A, distributed_range B, class T, class Op = std::plus<>, class F = std::multiplies<>>
T inner_product(reproducible_t, A&& a, B&& b, T init, Op op = {}, F f = {}) {
  return armilla::transform_reduce(reproducible, a, b, std::move(init), std::move(op), std::move(f));
}

/// Returns the inner product of two ranges of numbers.
template <distributed_range A, distributed_range B>
auto inner_product(reproducible_t, A&& a, B&& b) {
  return armilla::transform_reduce(reproducible, a, b, decltype(detail::range_value<A>() * detail::range_value<B>())());
}

/// Returns the mean of numbers. Throws `usage_error` on all members if the range is empty.
template <distributed_range R>
double mean(reproducible_t, R&& r) {
  const auto v = detail::require_sized(detail::reading(r));
  const double sum = armilla::transform_reduce(reproducible, v, 0.0, std::plus<>{}, [](const auto& e) { return double(e); });
  return detail::mean_of(sum, v.extent());
}

/// Returns the square root of the sum of squares.
template <distributed_range R>
double norm(reproducible_t, R&& r) {
  return std::sqrt(
      armilla::transform_reduce(reproducible, r, 0.0, std::plus<>{}, [](const auto& e) { return double(e) * double(e); }));
}

}  // namespace armilla
