// SPDX-License-Identifier: Apache-2.0
#include "armilla/grid_dims.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/error.hpp"

namespace {

using armilla::grid_dims;
using armilla::rank_t;

template <std::size_t N>
rank_t product(const std::array<rank_t, N>& dims) {
  return std::accumulate(dims.begin(), dims.end(), rank_t{1}, std::multiplies<>{});
}

// All falling factorisations of `rest` into N, of which the first in lexicographic order is the oracle.
template <std::size_t N>
void collect_all(rank_t rest, std::array<rank_t, N> so_far, std::size_t i, std::vector<std::array<rank_t, N>>& all) {
  if (i == N) {
    if (rest == 1) all.push_back(so_far);
    return;
  }
  for (rank_t d = 1; d <= rest && (i == 0 || d <= so_far[i - 1]); ++d) {
    if (rest % d != 0) continue;
    so_far[i] = d;
    collect_all<N>(rest / d, so_far, i + 1, all);
  }
}

template <std::size_t N>
void is_the_most_even_one() {
  for (rank_t ranks = 1; ranks <= 200; ++ranks) {
    const auto dims = grid_dims<N>(ranks);
    EXPECT_EQ(product(dims), ranks);
    EXPECT_TRUE(std::is_sorted(dims.begin(), dims.end(), std::greater<>{}));
    std::vector<std::array<rank_t, N>> all;
    collect_all<N>(ranks, {}, 0, all);
    EXPECT_EQ(dims, *std::min_element(all.begin(), all.end())) << ranks;
  }
}

TEST(grid, dims_multiply_to_the_ranks_fall_and_are_as_even_as_can_be) {
  is_the_most_even_one<1>();
  is_the_most_even_one<2>();
  is_the_most_even_one<3>();
  is_the_most_even_one<4>();
}

TEST(grid, given_dims_stay) {
  for (rank_t ranks = 2; ranks <= 200; ranks += 2) {
    const auto dims = grid_dims<3>(ranks, {0, 2, 0});
    EXPECT_EQ(dims[1], 2);
    EXPECT_EQ(product(dims), ranks);
    EXPECT_EQ((std::array{dims[0], dims[2]}), grid_dims<2>(ranks / 2));
  }
  EXPECT_EQ(grid_dims<2>(12, {3, 4}), (std::array<rank_t, 2>{3, 4}));
}

TEST(grid, what_does_not_divide_is_refused) {
  EXPECT_THROW(grid_dims<2>(12, {5, 0}), armilla::usage_error);
  EXPECT_THROW(grid_dims<2>(12, {3, 3}), armilla::usage_error);
  EXPECT_THROW(grid_dims<2>(12, {2, 3}), armilla::usage_error);
  EXPECT_THROW(grid_dims<2>(12, {-2, 0}), armilla::usage_error);
  EXPECT_THROW(grid_dims<2>(0), armilla::usage_error);
}

}  // namespace
