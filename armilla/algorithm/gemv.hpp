// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>

#include "armilla/algorithm/gemv_inline.hpp"

namespace armilla {

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

}  // namespace armilla
