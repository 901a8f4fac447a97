// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/algorithm/spmv_inline.hpp"

namespace armilla {

/// y = A x. Called by all members. Vectors that are dealt as the matrix says (`column_distribution`, `row_distribution`) are used
/// where they lie; others are dealt anew on the way. The order of the sums of a row depends on how the rows are dealt.
/// Errors: usage_error on all for lengths that do not fit. Cost: a meeting, one fetch from each member that has elements for this
/// one's rows, by a list made with the matrix, and the agreement.
template <class T>
void spmv(const sparse_matrix<T>& a, const array<T>& x, array<T>& y) {
  detail::spmv(a, x, y);
}

}  // namespace armilla
