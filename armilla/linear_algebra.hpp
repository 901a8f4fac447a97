// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "armilla/algorithm/elementwise/walk.hpp"
#include "armilla/algorithm/linear/cyclic_inline.hpp"
#include "armilla/algorithm/linear/gemm_inline.hpp"
#include "armilla/algorithm/linear/gemv_inline.hpp"
#include "armilla/algorithm/linear/spmv_inline.hpp"
#include "armilla/algorithm/linear/transpose_inline.hpp"
#include "armilla/container/views/zip_view.hpp"
#include "armilla/elementwise.hpp"

/// Linear algebra with the names of BLAS: sums of vectors, products of matrices, dense and sparse, and transposition.
///
///     am::matrix<double> a({500, 300}), b({300, 400}), c({500, 400});
///     am::gemm(a, b, c);                                     // c = a b
///     am::vector<double> x(300), y(500);
///     am::gemv(a, x, y);                                     // y = a x
///     am::axpy(2.0, y, y);                                   // y += 2 y
///
/// All members of the team call them. Distributions of vectors and grids of matrices may differ; halos stay as they are.
///
/// **Errors.** Throws `usage_error` on all members for extents or lengths that do not match.
///
/// **Cost.** A collective, a fetch from each member that has elements which this rank needs and does not map, and the agreement.
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

/// Adds `a * x` to `y`. `x` may be a view. The owner of an element of `y` computes it. Throws `usage_error` also if `x` shares
/// elements with `y` at other indices. Cost: that of `for_each` over both.
template <class A, distributed_range X, distributed_range Y>
  requires std::is_arithmetic_v<A>
void axpy(A a, X&& x, Y&& y) {
  detail::change_by("axpy", detail::reading(x), views::all(y), [a](const auto& xi, auto&& yi) { yi += a * xi; });
}

/// Sets `y` to `a * x + b * y`. As `axpy`.
template <class A, distributed_range X, class B, distributed_range Y>
  requires(std::is_arithmetic_v<A> && std::is_arithmetic_v<B>)
void axpby(A a, X&& x, B b, Y&& y) {
  detail::change_by("axpby", detail::reading(x), views::all(y), [a, b](const auto& xi, auto&& yi) { yi = a * xi + b * yi; });
}

/// Sets `y` to `A x`. `x` and `y` may be one array.
///
/// Each rank multiplies its own block by the elements of `x` that belong to its columns. If the cells of a row are on several
/// ranks, or elements of `y` are not on the ranks of their rows, the owner of an element adds what the blocks of its row give;
/// the order of the sums depends on the grid. Then it costs another collective and such fetches.
template <detail::multiplied_number T>
void gemv(const matrix<T>& a, const array<T>& x, array<T>& y) {
  detail::product(T(1), a, x, T(0), y);
}

/// Sets `y` to `alpha A x + beta y`. If `beta` is 0, the old content of `y` does not matter.
template <detail::multiplied_number T>
void gemv(std::type_identity_t<T> alpha, const matrix<T>& a, const array<T>& x, std::type_identity_t<T> beta, array<T>& y) {
  detail::product<T>(alpha, a, x, beta, y);
}

/// Sets `c` to `a b`. Each rank reads the blocks that its block of `c` needs where they are, and multiplies them by vector
/// instructions. Throws `usage_error` also if `c` is one of the inputs.
template <detail::multiplied_number T>
void gemm(const matrix<T>& a, const matrix<T>& b, matrix<T>& c) {
  detail::product(T(1), a, b, T(0), c);
}

/// Sets `c` to `alpha a b + beta c`. If `beta` is 0, the old content of `c` does not matter.
template <detail::multiplied_number T>
void gemm(std::type_identity_t<T> alpha, const matrix<T>& a, const matrix<T>& b, std::type_identity_t<T> beta, matrix<T>& c) {
  detail::product<T>(alpha, a, b, beta, c);
}

/// Sets `y` to `A x` for a sparse matrix.
///
/// Vectors with the distributions of the matrix (`column_distribution`, `row_distribution`) are used where they are; others are
/// redistributed on the way. The order of the sums of a row depends on the distribution of the rows. Cost: a collective, one
/// fetch from each member that has elements for this rank's rows, by a list made with the matrix, and the agreement.
template <class T>
void spmv(const sparse_matrix<T>& a, const array<T>& x, array<T>& y) {
  detail::spmv(a, x, y);
}

/// Sets `out(j, i)` to `in(i, j)`. Each rank reads the cells of its block of the output where they are.
template <class T>
void transpose(const matrix<T, 2>& in, matrix<T, 2>& out) {
  detail::turn(in, out);
}

/// Does the same for block-cyclic matrices (`cyclic_matrix`): `gemm`, `gemv` and `transpose`.
///
/// `gemm` proceeds tile by tile along the dimension that `a` and `b` share. For each tile, a rank fetches the columns of `a` in
/// its own rows and the rows of `b` in its own columns, and adds their product to its cells of `c`. A matrix whose tiles or grid
/// do not match those of `c` is first copied into one that does. `gemv` copies `x` to each rank, and reduces as many numbers as
/// `y` has elements.
template <detail::multiplied_number T>
void gemm(const cyclic_matrix<T>& a, const cyclic_matrix<T>& b, cyclic_matrix<T>& c) {
  detail::product(T(1), a, b, T(0), c);
}
template <detail::multiplied_number T>
void gemm(std::type_identity_t<T> alpha, const cyclic_matrix<T>& a, const cyclic_matrix<T>& b, std::type_identity_t<T> beta,
          cyclic_matrix<T>& c) {
  detail::product<T>(alpha, a, b, beta, c);
}
template <detail::multiplied_number T>
void gemv(const cyclic_matrix<T>& a, const array<T>& x, array<T>& y) {
  detail::product(T(1), a, x, T(0), y);
}
template <detail::multiplied_number T>
void gemv(std::type_identity_t<T> alpha, const cyclic_matrix<T>& a, const array<T>& x, std::type_identity_t<T> beta,
          array<T>& y) {
  detail::product<T>(alpha, a, x, beta, y);
}
template <class T>
void transpose(const cyclic_matrix<T>& in, cyclic_matrix<T>& out) {
  detail::turn(in, out);
}

}  // namespace armilla
