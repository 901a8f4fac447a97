// SPDX-License-Identifier: Apache-2.0
// Matrices that are dealt in turn: where their cells are, algorithms and views over them, products against three loops. All
// numbers are small integers, so that sums in any order are the same.
#include "armilla/cyclic_matrix.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "armilla/compaction.hpp"
#include "armilla/linear_algebra.hpp"
#include "armilla/query.hpp"
#include "armilla/scan.hpp"
#include "armilla/sort.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

using extents = std::array<std::size_t, 2>;

struct shape {
  extents cells, tile;
};
const std::vector<shape> shapes = {{{1, 1}, {1, 1}},    {{7, 5}, {2, 2}},   {{16, 16}, {4, 4}}, {{17, 9}, {3, 100}},
                                   {{9, 17}, {100, 1}}, {{30, 23}, {4, 5}}, {{3, 40}, {1, 7}},  {{0, 4}, {2, 2}}};

std::vector<am::grid> grids() {
  std::vector<am::grid> all = {am::grid(), am::grid({1, am::ranks()}), am::grid({am::ranks(), 1})};
  return all;
}

template <class T>
am::cyclic_matrix<T> filled(const shape& s, const am::grid& g, int seed = 0) {
  am::cyclic_matrix<T> m(s.cells, s.tile, g);
  am::for_each_index(m, [seed](std::size_t i, T& e) { e = T((int(i) * 7 + seed) % 11 - 5); });
  return m;
}

template <class R>
std::vector<double> elements(R&& r) {
  am::barrier();
  const auto all = am::everything(r);
  am::barrier();
  return {all.begin(), all.end()};
}

std::vector<double> three_loops(const std::vector<double>& a, const std::vector<double>& b, std::size_t n, std::size_t k,
                                std::size_t m) {
  std::vector<double> c(n * m);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t j = 0; j < m; ++j) c[i * m + j] += a[i * k + p] * b[p * m + j];
  return c;
}

/// Three matrices for a product, each in tiles and on a grid of its own.
void multiplied(const extents& tile_a, const extents& tile_b, const extents& tile_c, const am::grid& of_ab) {
  const std::size_t n = 19, k = 14, m = 11;
  const auto a = filled<double>({{n, k}, tile_a}, of_ab, 1), b = filled<double>({{k, m}, tile_b}, of_ab, 2);
  auto c = filled<double>({{n, m}, tile_c}, am::grid(), 3);
  const std::vector<double> before = elements(c), product = three_loops(elements(a), elements(b), n, k, m);
  am::gemm(a, b, c);
  EXPECT(elements(c) == product);
  am::gemm(2, a, b, 3, c);
  std::vector<double> expected = product;
  for (double& e : expected) e = 2 * e + 3 * e;
  EXPECT(elements(c) == expected);
}

}  // namespace

RANK_TEST(each_cell_is_on_the_rank_of_its_tile) {
  for (const shape& s : shapes)
    for (const am::grid& g : grids()) {
      am::cyclic_matrix<int> m(s.cells, s.tile, g);
      const auto p = std::size_t(m.blocks(0)), q = std::size_t(m.blocks(1));
      EXPECT_EQ(p * q, std::size_t(am::ranks()));
      std::size_t mine = 0;
      for (std::size_t i = 0; i < s.cells[0]; ++i)
        for (std::size_t j = 0; j < s.cells[1]; ++j) {
          const am::rank_t owner = am::rank_t(i / m.tile(0) % p * q + j / m.tile(1) % q);
          EXPECT_EQ(m.rank_of({i, j}), owner);
          EXPECT(m.cell_of(m.index_of({i, j})) == (extents{i, j}));
          mine += owner == am::rank() ? 1 : 0;
        }
      std::size_t in_tiles = 0;
      for (auto& tile : m.local()) {
        in_tiles += tile.cells.size();
        for (std::size_t i = 0; i < tile.cells.extent(0); ++i)
          for (std::size_t j = 0; j < tile.cells.extent(1); ++j)
            tile(i, j) = int(m.index_of({tile.origin[0] + i, tile.origin[1] + j}));
      }
      EXPECT_EQ(in_tiles, mine);
      am::barrier();
      for (std::size_t i = 0; i < s.cells[0]; ++i)
        for (std::size_t j = 0; j < s.cells[1]; ++j) EXPECT_EQ(int(m(i, j)), int(m.index_of({i, j})));
      am::barrier();
    }
}

RANK_TEST(algorithms_see_its_cells_row_by_row) {
  for (const shape& s : shapes)
    for (const am::grid& g : grids()) {
      const auto m = filled<int>(s, g);
      am::array<int> plain(m.size());
      am::for_each_index(plain, [](std::size_t i, int& e) { e = int(i) * 7 % 11 - 5; });
      EXPECT(elements(m) == elements(plain));
      EXPECT_EQ(am::reduce(m), am::reduce(plain));
      EXPECT_EQ(am::count(m, 3), am::count(plain, 3));
      am::cyclic_matrix<int> sums = m.like(), sorted = m.like(), copy = m.clone();
      am::array<int> plain_sums(m.size());
      am::inclusive_scan(m, sums);
      am::inclusive_scan(plain, plain_sums);
      EXPECT(elements(sums) == elements(plain_sums));
      am::copy(plain, sorted);
      am::sort(sorted);
      am::sort(plain);
      EXPECT(elements(sorted) == elements(plain));
      am::transform(m, copy, [](int e) { return 2 * e; });
      EXPECT_EQ(am::reduce(copy), 2 * am::reduce(m));
    }
}

RANK_TEST(rows_and_columns_are_views) {
  auto m = filled<int>({{13, 10}, {3, 4}}, am::grid());
  const std::vector<double> all = elements(m);
  std::vector<double> row(all.begin() + 70, all.begin() + 80), column;
  for (std::size_t i = 0; i < 13; ++i) column.push_back(all[i * 10 + 4]);
  EXPECT(elements(am::views::row(m, 7)) == row);
  EXPECT(elements(am::views::column(m, 4)) == column);
  am::fill(am::views::column(m, 4), 9);
  EXPECT_EQ(int(m(12, 4)), 9);
  EXPECT_EQ(am::count(m, 9), 13U);
}

RANK_TEST(cells_are_copied_to_blocks_and_back) {
  for (const shape& s : shapes)
    for (const am::grid& g : grids()) {
      const auto m = filled<double>(s, g);
      const am::matrix<double> blocks = m.in_blocks();
      EXPECT(elements(m) == elements(blocks));
      am::cyclic_matrix<double> back(s.cells, {2, 3}), again(s.cells, {5, 1}, am::grid({1, am::ranks()}));
      back.take(blocks);
      again.take(back);
      EXPECT(elements(again) == elements(m));
    }
}

// A matrix of a file may be larger than the one that takes its place.
RANK_TEST(tiles_remain_as_they_were_asked_for) {
  char own[64] = "/tmp/armilla-cyclic-XXXXXX";
  if (am::rank() == 0) close(mkstemp(own));
  const std::string path = am::world().broadcast(std::string(own), 0);
  const auto m = filled<double>({{30, 23}, {4, 5}}, am::grid());
  m.save(path);
  for (const extents& small : {extents{0, 0}, extents{1, 6}}) {
    am::cyclic_matrix<double> back(small, {8, 4});
    back.load(path);
    EXPECT(back.tile(0) == 8 && back.tile(1) == 4);
    EXPECT(elements(back) == elements(m));
  }
  am::barrier();
  if (am::rank() == 0) unlink(path.c_str());
}

template <class Matrix>
int cells_that_lack(const Matrix& whole) {
  int wrong = 0;
  for (std::size_t i = whole.extent(0); i-- > 0;) wrong += int(whole(i, i)) != 1;
  return wrong;
}

// Also those of others, without a barrier.
RANK_TEST(a_copy_is_whole_when_clone_returns) {
  for (int round = 0; round < 4; ++round) {
    am::cyclic_matrix<int> tiles({500, 500}, {16, 16});
    am::matrix<int> blocks({500, 500});
    am::for_each(tiles, [](int& e) { e = 1; });
    am::for_each(blocks, [](int& e) { e = 1; });
    const am::cyclic_matrix<int> copy = tiles.clone();
    EXPECT_EQ(cells_that_lack(copy), 0);
    const am::matrix<int> other = blocks.clone();
    EXPECT_EQ(cells_that_lack(other), 0);
  }
}

RANK_TEST(products_of_matrices_with_any_tiles) {
  for (const am::grid& g : grids()) {
    multiplied({4, 4}, {4, 4}, {4, 4}, g);
    multiplied({4, 3}, {5, 2}, {4, 2}, g);
    multiplied({2, 3}, {5, 7}, {3, 2}, g);
    multiplied({100, 100}, {100, 100}, {1, 1}, g);
  }
}

RANK_TEST(products_with_vectors_and_transposition) {
  for (const shape& s : shapes)
    for (const am::grid& g : grids()) {
      const auto a = filled<double>(s, g, 4);
      am::array<double> x(s.cells[1], am::cyclic()), y(s.cells[0], 1.0);
      am::for_each_index(x, [](std::size_t i, double& e) { e = double(i % 5); });
      std::vector<double> expected = three_loops(elements(a), elements(x), s.cells[0], s.cells[1], 1);
      am::gemv(a, x, y);
      EXPECT(elements(y) == expected);
      am::gemv(2, a, x, 1, y);
      for (double& e : expected) e = 3 * e;
      EXPECT(elements(y) == expected);
      am::cyclic_matrix<double> turned({s.cells[1], s.cells[0]}, {3, 2}), back(s.cells, s.tile);
      am::transpose(a, turned);
      am::transpose(turned, back);
      EXPECT(elements(back) == elements(a));
      const std::vector<double> of_a = elements(a), of_turned = elements(turned);
      for (std::size_t i = 0; i < s.cells[0]; ++i)
        for (std::size_t j = 0; j < s.cells[1]; ++j) EXPECT_EQ(of_turned[j * s.cells[0] + i], of_a[i * s.cells[1] + j]);
    }
}

RANK_TEST(what_does_not_fit_is_refused) {
  am::cyclic_matrix<double> a({6, 5}, {2, 2}), b({6, 4}, {2, 2}), c({6, 4}, {2, 2});
  EXPECT_THROWS_SAYING(am::usage_error, "", am::gemm(a, b, c));
  EXPECT_THROWS_SAYING(am::usage_error, "", am::transpose(a, b));
  EXPECT_THROWS_SAYING(am::usage_error, "cannot take the cells of one of 6 by 5", b.take(a));
  EXPECT_THROWS_SAYING(am::usage_error, "a tile has no cells in dimension 1", (am::cyclic_matrix<int>({4, 4}, {1, 0})));
  EXPECT_THROWS_SAYING(am::usage_error, "", double(a(6, 0)));
  am::barrier();
}
