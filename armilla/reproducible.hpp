// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <functional>
#include <utility>

#include "armilla/algorithm/elementwise/reproducible_inline.hpp"

/// Folds whose bits do not depend on the number of ranks, nor on the distribution: `am::reproducible` in front of the arguments
/// fixes a tree over the indices. The operation must be associative. Each 1,024 elements that follow each other are folded by the
/// rank that has the first of them; those sums meet in pairs, by their numbers. A range without a size is refused at compile
/// time. Cost: a meeting at the begin; copies of elements beyond borders, of all where blocks of a cyclic distribution are
/// shorter than 1,024; one gathering of some 2 log(n / 1024) values a rank in blocks, of all sums if dealt in turn.
namespace armilla {

/// In front of a fold's arguments: the same bits on any number of ranks.
struct reproducible_t {};
inline constexpr reproducible_t reproducible{};

template <distributed_range R, class T, class Op = std::plus<>>
T reduce(reproducible_t, R&& r, T init, Op op = {}) {
  return detail::fold_by_tree(detail::reading(r), "reduce", std::move(init), op);
}
template <distributed_range R>
auto reduce(reproducible_t, R&& r) {
  return armilla::reduce(reproducible, r, detail::range_value<R>());
}

template <distributed_range R, class T, class Op, class F>
  requires(!distributed_range<T>)
T transform_reduce(reproducible_t, R&& r, T init, Op op, F f) {
  const auto values = views::transform(detail::reading(r), detail::converted<T, F>{std::move(f)});
  return detail::fold_by_tree(values, "transform_reduce", std::move(init), op);
}
template <distributed_range A, distributed_range B, class T, class Op = std::plus<>, class F = std::multiplies<>>
T transform_reduce(reproducible_t, A&& a, B&& b, T init, Op op = {}, F f = {}) {
  return armilla::transform_reduce(reproducible, views::zip(detail::reading(a), detail::reading(b)), std::move(init),
                                   std::move(op), std::move(f));
}
template <distributed_range A, distributed_range B, class T, class Op = std::plus<>, class F = std::multiplies<>>
T inner_product(reproducible_t, A&& a, B&& b, T init, Op op = {}, F f = {}) {
  return armilla::transform_reduce(reproducible, a, b, std::move(init), std::move(op), std::move(f));
}
template <distributed_range A, distributed_range B>
auto inner_product(reproducible_t, A&& a, B&& b) {
  return armilla::transform_reduce(reproducible, a, b, decltype(detail::range_value<A>() * detail::range_value<B>())());
}

/// The mean of numbers. Throws usage_error on all members if the range is empty.
template <distributed_range R>
double mean(reproducible_t, R&& r) {
  const auto v = detail::require_sized(detail::reading(r));
  const double sum = armilla::transform_reduce(reproducible, v, 0.0, std::plus<>{}, [](const auto& e) { return double(e); });
  return detail::mean_of(sum, v.extent());
}
/// The square root of the sum of squares.
template <distributed_range R>
double norm(reproducible_t, R&& r) {
  return std::sqrt(
      armilla::transform_reduce(reproducible, r, 0.0, std::plus<>{}, [](const auto& e) { return double(e) * double(e); }));
}

}  // namespace armilla
