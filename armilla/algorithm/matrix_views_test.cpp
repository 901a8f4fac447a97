// SPDX-License-Identifier: Apache-2.0
// Rows, columns, blocks and tiles of matrices against the same cells of one vector on each rank.
#include "armilla/matrix_views.hpp"

#include <algorithm>
#include <functional>
#include <random>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using ranges_test::dice;
using ranges_test::elements_of;

namespace {

/// A matrix of random numbers, and the same cells row by row.
struct example {
  std::size_t n, m;
  std::vector<int> cells;
  am::matrix<int> a;

  example(dice& d, const am::team& t, am::grid g)
      : n(1 + d.below(14)),
        m(1 + d.below(14)),
        cells(d.numbers(n * m)),
        a({n, m}, am::on(t, std::move(g)), am::halo(d.below(3))) {
    am::for_each_index(a, [&](std::size_t i, int& e) { e = cells[i]; });
    t.barrier();
  }
  int& at(std::size_t i, std::size_t j) { return cells[i * m + j]; }
  std::vector<int> row(std::size_t i) const { return {cells.begin() + long(i * m), cells.begin() + long((i + 1) * m)}; }
  std::vector<int> column(std::size_t j) const {
    std::vector<int> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(cells[i * m + j]);
    return all;
  }
};

template <class F>
void for_random_examples(int rounds, F f) {
  ranges_test::for_random_teams(rounds, [&](dice& d, const am::team& t) {
    for (const am::grid& g : {am::grid(), am::grid({t.size(), 1}), am::grid({1, t.size()})}) {
      example e(d, t, g);
      f(d, e);
      EXPECT_EQ(elements_of(e.a), e.cells);
    }
  });
}

/// Operations of all members on cells, each member in an order of its own: a cell has one member that changes it in one way, or
/// additions of all. The cells become what they must be behind a fence.
void say_random_verbs(dice& d, example& e) {
  const am::team& t = e.a.members();
  std::vector<std::function<void()>> mine;
  for (std::size_t i = 0; i < e.n; ++i)
    for (std::size_t j = 0; j < e.m; ++j) {
      int& cell = e.at(i, j);
      const std::size_t verb = d.below(5);
      const bool here = am::rank_t(d.below(std::size_t(t.size()))) == t.rank();
      const int value = int(d.below(100)), was = cell;
      const am::global_ptr<int> p = e.a.ptr({i, j});
      if (verb == 0) mine.emplace_back([&e, i, j, was] { EXPECT_EQ(int(std::as_const(e.a)(i, j)), was); });
      if (verb == 1) mine.emplace_back([p, value] { am::atomic_add(p, value); });
      if (verb == 2 && here) mine.emplace_back([&e, i, j, value] { e.a(i, j) = value; });
      if (verb == 3 && here) mine.emplace_back([p, value] { am::store(p, value); });
      if (verb == 4 && here) mine.emplace_back([p, value] { am::put(p, value); });
      cell = verb == 0 ? was : verb == 1 ? was + value * t.size() : value;
    }
  std::shuffle(mine.begin(), mine.end(), std::mt19937(unsigned(mine.size()) * 8 + unsigned(t.rank())));
  for (const auto& say : mine) say();
  t.fence();
}

/// Own cells, and the halo where it lies within the matrix.
void expect_block_and_halo(example& e) {
  const auto mine = std::as_const(e.a).local();
  if (mine.extent(0) * mine.extent(1) == 0) return;
  const auto first = [&](std::size_t k) { return std::ptrdiff_t(mine.origin(k)) - std::ptrdiff_t(mine.halo_before(k)); };
  const auto end = [&](std::size_t k) { return std::ptrdiff_t(mine.origin(k) + mine.extent(k) + mine.halo_behind(k)); };
  for (std::ptrdiff_t i = std::max(first(0), std::ptrdiff_t{0}); i < std::min(end(0), std::ptrdiff_t(e.n)); ++i)
    for (std::ptrdiff_t j = std::max(first(1), std::ptrdiff_t{0}); j < std::min(end(1), std::ptrdiff_t(e.m)); ++j) {
      const std::ptrdiff_t row = i - std::ptrdiff_t(mine.origin(0)), column = j - std::ptrdiff_t(mine.origin(1));
      const bool corner =
          (row < 0 || row >= std::ptrdiff_t(mine.extent(0))) && (column < 0 || column >= std::ptrdiff_t(mine.extent(1)));
      if (!corner) EXPECT_EQ(mine(row, column), e.at(std::size_t(i), std::size_t(j)));
    }
}

}  // namespace

RANK_TEST(a_row_and_a_column_are_ranges_of_cells) {
  for_random_examples(6, [](dice& d, example& e) {
    const std::size_t i = d.below(e.n), j = d.below(e.m);
    const std::vector<int> row = e.row(i), column = e.column(j);
    EXPECT_EQ(elements_of(am::views::row(e.a, i)), row);
    EXPECT_EQ(elements_of(e.a | am::views::column(j)), column);
    EXPECT_EQ(am::reduce(std::as_const(e.a) | am::views::column(j)), std::accumulate(column.begin(), column.end(), 0));
    EXPECT_EQ(am::find(e.a | am::views::row(i), row.back()), std::size_t(std::ranges::find(row, row.back()) - row.begin()));
    EXPECT_EQ(am::find(e.a | am::views::column(j), column.back()),
              std::size_t(std::ranges::find(column, column.back()) - column.begin()));
    EXPECT_EQ(elements_of(e.a | am::views::column(j) | am::views::reverse() | am::views::take(1)),
              std::vector<int>(1, column.back()));
    e.a.members().barrier();
  });
}

RANK_TEST(algorithms_write_and_sort_rows_and_columns) {
  for_random_examples(6, [](dice& d, example& e) {
    const std::size_t i = d.below(e.n), j = d.below(e.m);
    am::sort(am::views::column(e.a, j));
    std::vector<int> column = e.column(j);
    std::ranges::sort(column);
    for (std::size_t k = 0; k < e.n; ++k) e.at(k, j) = column[k];
    am::sort(am::views::row(e.a, i), std::greater<>{});
    std::sort(e.cells.begin() + long(i * e.m), e.cells.begin() + long((i + 1) * e.m), std::greater<>{});
    am::inclusive_scan(am::views::column(e.a, j), am::views::column(e.a, j));
    for (std::size_t k = 1; k < e.n; ++k) e.at(k, j) += e.at(k - 1, j);
    am::array<int> other(e.m, am::on(e.a.members(), am::cyclic()));
    am::iota(other, 5);
    am::copy(other, am::views::row(e.a, i));
    std::iota(e.cells.begin() + long(i * e.m), e.cells.begin() + long((i + 1) * e.m), 5);
  });
}

RANK_TEST(a_block_of_a_matrix_is_a_range_row_by_row) {
  for_random_examples(6, [](dice& d, example& e) {
    const std::size_t top = d.below(e.n), left = d.below(e.m), bottom = top + d.below(e.n - top + 1),
                      right = left + d.below(e.m - left + 1);
    const auto part = am::views::block(e.a, {top, left}, {bottom, right});
    am::for_each(part, [](int& x) { x = 3 * x + 1; });
    std::vector<int> expected;
    for (std::size_t i = top; i < bottom; ++i)
      for (std::size_t j = left; j < right; ++j) expected.push_back(e.at(i, j) = 3 * e.at(i, j) + 1);
    EXPECT_EQ(elements_of(part), expected);
  });
}

RANK_TEST(a_block_of_a_space_is_a_range_row_by_row) {
  am::matrix<int, 3> a({5, 6, 7}, am::grid(), am::halo(1));
  am::iota(a, 0);
  std::vector<int> expected;
  for (int i = 1; i < 4; ++i)
    for (int j = 2; j < 6; ++j)
      for (int k = 0; k < 5; ++k) expected.push_back((i * 6 + j) * 7 + k);
  EXPECT_EQ(elements_of(am::views::block(a, {1, 2, 0}, {4, 6, 5})), expected);
}

RANK_TEST(each_row_and_each_column_is_an_element) {
  ranges_test::for_random_teams(6, [](dice& d, const am::team& t) {
    example by_rows(d, t, am::grid({t.size(), 1}));
    am::for_each(am::views::rows(by_rows.a), [](auto row) { std::ranges::sort(row); });
    for (std::size_t i = 0; i < by_rows.n; ++i)
      std::sort(by_rows.cells.begin() + long(i * by_rows.m), by_rows.cells.begin() + long((i + 1) * by_rows.m));
    EXPECT_EQ(elements_of(by_rows.a), by_rows.cells);

    example by_columns(d, t, am::grid({1, t.size()}));
    am::for_each(by_columns.a | am::views::columns(), [](auto column) { std::ranges::sort(column); });
    for (std::size_t j = 0; j < by_columns.m; ++j) {
      std::vector<int> column = by_columns.column(j);
      std::ranges::sort(column);
      for (std::size_t i = 0; i < by_columns.n; ++i) by_columns.at(i, j) = column[i];
    }
    EXPECT_EQ(elements_of(by_columns.a), by_columns.cells);
  });
}

/// The output's owners read the rows, wherever these lie.
RANK_TEST(rows_are_transformed_and_reduced) {
  ranges_test::for_random_teams(6, [](dice& d, const am::team& t) {
    const example e(d, t, am::grid({t.size(), 1}));
    const auto sum = [](const auto& row) { return std::accumulate(row.begin(), row.end(), 0); };
    am::array<int> sums(e.n, d.distribution(e.n, t));
    am::transform(am::views::rows(e.a), sums, sum);
    std::vector<int> expected;
    for (std::size_t i = 0; i < e.n; ++i) expected.push_back(sum(e.row(i)));
    EXPECT_EQ(elements_of(sums), expected);
    EXPECT_EQ(am::reduce(am::views::rows(e.a) | am::views::transform(sum)), sum(e.cells));
    t.barrier();
  });
}

RANK_TEST(tiles_have_each_cell_once) {
  for_random_examples(6, [](dice& d, example& e) {
    const std::size_t height = 1 + d.below(5), width = 1 + d.below(5);
    const auto tiles = am::views::tiles(e.a, {height, width});
    am::for_each(tiles, [&](auto tile) {
      EXPECT(tile.extent(0) <= height && tile.extent(1) <= width && !tile.empty());
      for (std::size_t i = 0; i < tile.extent(0); ++i)
        for (std::size_t j = 0; j < tile.extent(1); ++j) tile(i, j) += 1;
    });
    for (int& x : e.cells) ++x;
    EXPECT_EQ(am::reduce(tiles | am::views::transform([](const auto& tile) { return tile.size(); })), e.n * e.m);
  });
}

RANK_TEST(random_verbs_of_all_ranks_leave_what_one_vector_would_hold_and_neighbours_see_it) {
  for_random_examples(4, [](dice& d, example& e) {
    for (int phase = 0; phase < 4; ++phase) {
      say_random_verbs(d, e);
      e.a.exchange();
      expect_block_and_halo(e);
      e.a.members().barrier();
    }
  });
}

RANK_TEST(own_cells_are_a_span_with_strides) {
  am::matrix<int> a({9, 7}, am::grid(), am::halo(2));
  am::iota(a, 0);
  const auto mine = a.local();
  const am::local_span<int, 2> cells = mine.cells();
  EXPECT_EQ(cells.size(), mine.extent(0) * mine.extent(1));
  for (std::size_t i = 0; i < cells.extent(0); ++i)
    for (std::size_t j = 0; j < cells.extent(1); ++j) EXPECT_EQ(&cells(i, j), &mine(std::ptrdiff_t(i), std::ptrdiff_t(j)));
#ifdef __cpp_lib_mdspan
  const std::mdspan<int, std::dextents<std::size_t, 2>, std::layout_stride> same = cells;
  EXPECT_EQ(same.extent(1), cells.extent(1));
#endif
  am::barrier();
}

RANK_TEST(views_that_a_matrix_does_not_have_are_refused) {
  am::matrix<int> a({6, 7}, am::grid({1, am::ranks()}));
  EXPECT_THROWS_SAYING(am::usage_error, "coordinate 6 in dimension 0, which has 6 cells", am::views::row(a, 6));
  EXPECT_THROWS_SAYING(am::usage_error, "coordinate 7 in dimension 1, which has 7 cells", am::views::column(a, 7));
  EXPECT_THROWS_SAYING(am::usage_error, "cells [2, 8) in dimension 1, which has 7", am::views::block(a, {0, 2}, {1, 8}));
  EXPECT_THROWS_SAYING(am::usage_error, "tiles of 0 cells in dimension 1", am::views::tiles(a, {1, 0}));
  if (am::ranks() > 1) EXPECT_THROWS_SAYING(am::usage_error, "dimension 1 is cut into", am::views::rows(a));
}
