// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/algorithm/linear/stencil_inline.hpp"

namespace armilla {

/// Each cell of `out` becomes f(at), where at(i, j) is the cell of `in` so many rows and columns away, as far as the halo of `in`
/// reaches. Refreshes that halo, and meanwhile does the cells that need none of it. The halo of `out` stays as it is.
///
///     am::stencil(t, u, [](auto at) { return (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) / 4; });
///
/// `in` and `out` are of one shape, grid and team, and two matrices. Called by all members. What f throws ends it: all members
/// throw a remote_error with that text and the cell's number (`cell_of`); `out` is then partly written.
/// Cost: one counter a neighbour and the copy of the halo; one agreement.
template <class T, class U, std::size_t N, class F>
void stencil(matrix<T, N>& in, matrix<U, N>& out, F f) {
  detail::stencil_on(in, out, f);
}

}  // namespace armilla
