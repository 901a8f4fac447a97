// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "armilla/algorithm/elementwise/walk.hpp"
#include "armilla/algorithm/linear/gemm_inline.hpp"
#include "armilla/algorithm/linear/gemv_inline.hpp"
#include "armilla/algorithm/linear/spmv_inline.hpp"
#include "armilla/algorithm/linear/transpose_inline.hpp"
#include "armilla/container/views/zip_view.hpp"
#include "armilla/elementwise.hpp"

/// Sums of vectors, products with matrices, dense and sparse, and transposition.
///
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

/// y = A x, for arrays that are dealt in any way; they may be one. Called by all members. Each rank multiplies its own block, by
/// the elements of `x` that belong to its columns. Where a row's cells lie on several ranks, or elements of `y` lie elsewhere
/// than their rows, the owner of an element adds what the blocks of its row give; the order of the sums depends on the grid.
/// usage_error on all for lengths that do not fit. Cost: a meeting, one fetch from each member that has elements which this rank
/// needs and does not map, the agreement; where elements of y lie elsewhere, another meeting and such fetches.
template <detail::multiplied_number T>
void gemv(const matrix<T>& a, const array<T>& x, array<T>& y) {
  detail::product(T(1), a, x, T(0), y);
}
/// y = alpha A x + beta y. What `y` holds does not count where beta is 0.
template <detail::multiplied_number T>
void gemv(std::type_identity_t<T> alpha, const matrix<T>& a, const array<T>& x, std::type_identity_t<T> beta, array<T>& y) {
  detail::product<T>(alpha, a, x, beta, y);
}

/// c = a b. Grids may differ; halos stay as they are. Called by all members. Each rank reads the blocks that its part of `c`
/// needs where they lie, and multiplies them by vector instructions. usage_error on all if the extents do not fit, or `c` is one
/// of the inputs. Cost: a meeting, a fetch of each block that this rank needs and does not map, the agreement.
template <detail::multiplied_number T>
void gemm(const matrix<T>& a, const matrix<T>& b, matrix<T>& c) {
  detail::product(T(1), a, b, T(0), c);
}
/// c = alpha a b + beta c. What `c` holds does not count where beta is 0.
template <detail::multiplied_number T>
void gemm(std::type_identity_t<T> alpha, const matrix<T>& a, const matrix<T>& b, std::type_identity_t<T> beta, matrix<T>& c) {
  detail::product<T>(alpha, a, b, beta, c);
}

/// y = A x. Called by all members. Vectors that are dealt as the matrix says (`column_distribution`, `row_distribution`) are used
/// where they lie; others are dealt anew on the way. The order of the sums of a row depends on how the rows are dealt.
/// Errors: usage_error on all for lengths that do not fit. Cost: a meeting, one fetch from each member that has elements for this
/// one's rows, by a list made with the matrix, and the agreement.
template <class T>
void spmv(const sparse_matrix<T>& a, const array<T>& x, array<T>& y) {
  detail::spmv(a, x, y);
}

/// out(j, i) = in(i, j). The grids may differ; halos stay as they are. Called by all members. Each rank reads the cells of its
/// part of the output where they lie. usage_error on all if the extents do not fit. Cost: a meeting, one fetch from each member
/// that this rank does not map, the agreement.
template <class T>
void transpose(const matrix<T, 2>& in, matrix<T, 2>& out) {
  detail::turn(in, out);
}

}  // namespace armilla
