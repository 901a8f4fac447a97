// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "armilla/algorithm/elementwise.hpp"
#include "armilla/algorithm/walk.hpp"
#include "armilla/container/zip_view.hpp"

/// Sums of vectors, with the names of BLAS. The owner of an element of y makes it; x may be dealt otherwise, or be a view.
namespace armilla {
namespace detail {

template <class X, class Y, class F>
void change_by(const char* operation, const X& x, const Y& y, F f) {
  const algorithm_call whole(operation);
  if (x.extent() != y.extent()) throw_vector_length(operation, "vector y", y.extent(), x.extent());
  require_same_or_apart(operation, x, y, x.extent());
  const without_end last(whole);
  armilla::for_each(views::zip(x, y), f);
}

}  // namespace detail

/// y += a x. All members call it. Cost: that of `for_each` over both. Errors: usage_error on all for vectors of other lengths,
/// and for x that shares elements with y at other positions.
template <class A, distributed_range X, distributed_range Y>
  requires std::is_arithmetic_v<A>
void axpy(A a, X&& x, Y&& y) {
  detail::change_by("axpy", detail::reading(x), views::all(y), [a](const auto& xi, auto&& yi) { yi += a * xi; });
}
/// y = a x + b y. Else as `axpy`.
template <class A, distributed_range X, class B, distributed_range Y>
  requires(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)
void axpby(A a, X&& x, B b, Y&& y) {
  detail::change_by("axpby", detail::reading(x), views::all(y), [a, b](const auto& xi, auto&& yi) { yi = a * xi + b * yi; });
}

}  // namespace armilla
