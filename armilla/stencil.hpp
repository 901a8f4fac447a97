// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/algorithm/linear/stencil_inline.hpp"

namespace armilla {

/// Sets each cell of `out` to `f(at)`, where `at(i, j)` is the cell of `in` that is i rows and j columns away. Collective.
///
///     am::stencil(t, u, [](auto at) { return (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) / 4; });
///     am::swap(t, u);                              // the next step reads what this one wrote; no message
///
/// `f` may read as far as the halo of `in` is wide; only a program with the checked library checks that. `stencil` refreshes that
/// halo, and meanwhile computes the cells that need none of it. The halo of `out` stays as it is. `in` and `out` are two matrices
/// of the same shape, grid and team.
///
/// **Errors.** What `f` throws ends it: all members throw `remote_error` with the text and the index of the cell
/// (`matrix::cell_of`). `out` is then partly written. Throws `usage_error` for matrices that do not match.
///
/// **Cost.** One counter for each neighbor and the copy of the halo, and one agreement.
template <class T, class U, std::size_t N, class F>
void stencil(matrix<T, N>& in, matrix<U, N>& out, F f) {
  detail::stencil_on(in, out, f);
}

}  // namespace armilla
