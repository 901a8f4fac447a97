// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>

#include "armilla/base/values/types.hpp"

namespace armilla {
namespace detail {

/// Replaces the zeros among the `n` numbers at `dims`.
void choose_grid_dims(rank_t ranks, rank_t* dims, std::size_t n);

}  // namespace detail

/// Returns the dimensions of a grid of `ranks` processes, as equal as possible, for a `grid` or a decomposition of your own.
///
///     const auto [rows, columns] = am::grid_dims<2>(am::ranks());       // 12: 4 and 3
///     const auto slab = am::grid_dims<3>(am::ranks(), {0, 2, 0});       // 12: 3, 2 and 2; those that are not 0 remain
///
/// Their product is `ranks`, and they do not increase. Of all such numbers, these have the smallest first one, then the smallest
/// second one, and so on. This is MPI_Dims_create. Throws `usage_error` if `ranks` is not positive, or not a multiple of the
/// given dimensions.
template <std::size_t N>
  requires(N > 0)
std::array<rank_t, N> grid_dims(rank_t ranks, std::array<rank_t, N> dims = {}) {
  detail::choose_grid_dims(ranks, dims.data(), N);
  return dims;
}

}  // namespace armilla
