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

/// The dimensions of a grid of `ranks` processes, as alike as they can be: their product is `ranks`, and among those of `N`
/// factors these have the smallest first, then second ... one. They do not increase.
///
///     const auto [rows, columns] = am::grid_dims<2>(am::ranks());       // 12: 4 and 3
///     const auto slab = am::grid_dims<3>(am::ranks(), {0, 2, 0});       // 12: 3, 2 and 2; those that are not 0 stay
///
/// As MPI_Dims_create. Errors: usage_error if `ranks` is not positive, or no multiple of the dimensions that are given.
template <std::size_t N>
  requires(N > 0)
std::array<rank_t, N> grid_dims(rank_t ranks, std::array<rank_t, N> dims = {}) {
  detail::choose_grid_dims(ranks, dims.data(), N);
  return dims;
}

}  // namespace armilla
