// SPDX-License-Identifier: Apache-2.0
// Matrices, their halos and stencils against the same steps over one array on each rank.
#include "armilla/stencil.hpp"

#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <stdexcept>

#include "armilla/algorithm/ranges_test.hpp"
#include "armilla/linear_algebra.hpp"

namespace am = armilla;
using ranges_test::dice;
using ranges_test::elements_of;

namespace {

template <std::size_t N>
using point = std::array<std::size_t, N>;
template <std::size_t N>
using signed_point = std::array<std::ptrdiff_t, N>;

/// A matrix and its border on one rank.
template <std::size_t N>
struct oracle {
  point<N> extents;
  std::vector<bool> periodic;
  std::vector<int> cells;

  static int border(const signed_point<N>& at) {
    int sum = 1000;
    for (const std::ptrdiff_t c : at) sum = sum * 3 + int(c);
    return sum;
  }
  int at(signed_point<N> cell) const {
    bool beyond = false;
    for (std::size_t d = 0; d < N; ++d) {
      const auto n = std::ptrdiff_t(extents[d]);
      beyond = beyond || (!periodic[d] && (cell[d] < 0 || cell[d] >= n));
    }
    for (std::size_t d = 0; d < N; ++d)
      if (const auto n = std::ptrdiff_t(extents[d]); periodic[d]) cell[d] = (cell[d] % n + n) % n;
    if (beyond) return border(cell);
    std::size_t i = 0;
    for (std::size_t d = 0; d < N; ++d) i = i * extents[d] + std::size_t(cell[d]);
    return cells[i];
  }
};

/// How far a stencil looks, before and behind.
template <std::size_t N>
struct reach {
  signed_point<N> before, behind;
};

/// All cells within reach, weighed; of the corners none unless they are asked for.
template <std::size_t N, class At>
int weigh(const reach<N>& far, bool corners, At at) {
  int sum = 0, weight = 1;
  signed_point<N> away;
  for (std::size_t d = 0; d < N; ++d) away[d] = -far.before[d];
  for (;;) {
    const auto axes = std::count_if(away.begin(), away.end(), [](std::ptrdiff_t a) { return a != 0; });
    ++weight;
    if (corners || axes <= 1) sum = (sum + weight * at(away)) % 1'000'003;
    std::size_t d = N;
    while (d > 0 && ++away[d - 1] > far.behind[d - 1]) {
      --d;
      away[d] = -far.before[d];
    }
    if (d == 0) return sum;
  }
}

template <std::size_t N>
void take_steps(dice& d, const am::team& t, am::grid g) {
  reach<N> far;
  for (std::size_t k = 0; k < N; ++k) {
    far.before[k] = std::ptrdiff_t(d.below(3));
    far.behind[k] = std::ptrdiff_t(d.below(3));
  }
  const bool corners = d.below(2) == 0;
  oracle<N> all;
  for (std::size_t& n : all.extents) n = 1 + d.below(N == 1 ? 40 : 12);
  for (std::size_t k = 0; k < N; ++k) all.periodic.push_back(d.below(2) == 0);
  am::halo around = am::halo().periodic(all.periodic).corners(corners);
  for (std::size_t k = 0; k < N; ++k) around = around.sides(k, std::size_t(far.before[k]), std::size_t(far.behind[k]));
  am::matrix<int, N> a(all.extents, am::on(t, std::move(g)), around);
  all.cells = d.numbers(a.size());
  am::for_each_index(a, [&](std::size_t i, int& e) { e = all.cells[i]; });
  am::matrix<int, N> b = a.like();
  a.set_border(oracle<N>::border);
  b.set_border(oracle<N>::border);
  for (int step = 0; step < 4; ++step) {
    const auto f = [&](const auto& at) {
      return weigh<N>(far, corners,
                      [&](const signed_point<N>& by) { return std::apply([&](auto... away) { return at(away...); }, by); });
    };
    if (step < 3)
      am::stencil(am::nowait, a, b, f);
    else
      am::stencil(a, b, f);
    std::vector<int> next(all.cells.size());
    for (std::size_t i = 0; i < next.size(); ++i) {
      const point<N> cell = a.cell_of(i);
      next[i] = weigh<N>(far, corners, [&](signed_point<N> by) {
        for (std::size_t k = 0; k < N; ++k) by[k] += std::ptrdiff_t(cell[k]);
        return all.at(by);
      });
    }
    all.cells = std::move(next);
    am::swap(a, b);
  }
  EXPECT_EQ(elements_of(a), all.cells);
}

template <std::size_t N>
void take_random_steps(int rounds) {
  const am::team half = am::world().split(am::rank() % 2);
  for (int round = 0; round < rounds; ++round) {
    dice d(unsigned(round) + 1000);
    take_steps<N>(d, am::world(), am::grid());
    dice e(unsigned(round * 2 + am::rank() % 2));
    take_steps<N>(e, half, am::grid());
  }
}

/// Whatever the halo has after `set_border` and `exchange`, also in the corners.
template <std::size_t N>
void exchange_once(dice& d, const am::team& t, am::grid g) {
  oracle<N> all;
  for (std::size_t& n : all.extents) n = 1 + d.below(7);
  for (std::size_t k = 0; k < N; ++k) all.periodic.push_back(d.below(2) == 0);
  const bool corners = d.below(3) != 0;
  am::halo around = am::halo().periodic(all.periodic).corners(corners);
  for (std::size_t k = 0; k < N; ++k) around = around.sides(k, d.below(9), d.below(4));
  am::matrix<int, N> a(all.extents, am::on(t, std::move(g)), around);
  all.cells = d.numbers(a.size());
  am::for_each_index(a, [&](std::size_t i, int& e) { e = all.cells[i]; });
  a.set_border(oracle<N>::border);
  a.exchange();
  const auto mine = a.local();
  am::detail::box<N> within;  // the block with its halo
  for (std::size_t k = 0; k < N; ++k)
    within.end[k] = mine.extent(k) == 0 ? 0 : mine.halo_before(k) + mine.extent(k) + mine.halo_behind(k);
  std::size_t wrong = 0;
  am::detail::each_row(within, [&](point<N> at) {
    for (; at[N - 1] < within.end[N - 1]; ++at[N - 1]) {
      signed_point<N> local, cell;
      std::size_t beyond = 0;
      for (std::size_t k = 0; k < N; ++k) {
        local[k] = std::ptrdiff_t(at[k]) - std::ptrdiff_t(mine.halo_before(k));
        cell[k] = local[k] + std::ptrdiff_t(mine.origin(k));
        beyond += std::size_t(local[k] < 0 || local[k] >= std::ptrdiff_t(mine.extent(k)));
      }
      if (!corners && beyond > 1) continue;
      wrong += std::size_t(std::apply([&](auto... i) { return mine(i...); }, local) != all.at(cell));
    }
  });
  EXPECT_EQ(wrong, 0u);
  t.barrier();
}

/// Of a stencil that looks one way, one neighbour gives and does not take.
void take_steps_one_way(std::size_t before, std::size_t behind, bool periodic) {
  am::matrix<int> a({12, 5}, am::grid({am::ranks(), 1}), am::halo().sides(0, before, behind).periodic(periodic)), b = a.like();
  am::iota(a, 0);
  const auto by = behind != 0 ? std::ptrdiff_t(behind) : -std::ptrdiff_t(before);
  for (int step = 0; step < 5; ++step) {
    am::stencil(am::nowait, a, b, [by](auto at) { return at(by, 0); });
    am::swap(a, b);
  }
  am::barrier();  // steps that do not wait
  std::vector<int> expected(60);
  for (std::ptrdiff_t i = 0; i < 60; ++i) {
    const std::ptrdiff_t from = i + 5 * by * 5;
    expected[std::size_t(i)] = periodic ? int((from + 600) % 60) : from < 0 || from >= 60 ? 0 : int(from);
  }
  EXPECT_EQ(elements_of(a), expected);
}

/// All members in the last dimension, whose borders are not contiguous.
am::grid columns(const am::team& t) { return am::grid({1, t.size()}); }

template <class F>
void for_each_shape(F f) {
  for (const std::size_t n : {1, 7, 130})
    for (const std::size_t m : {3, 70}) {
      f(n, m, am::grid());
      f(n, m, columns(am::world()));
    }
}

}  // namespace

RANK_TEST(stencils_of_rows_give_what_one_rank_computes) { take_random_steps<1>(12); }
RANK_TEST(stencils_of_planes_give_what_one_rank_computes) { take_random_steps<2>(25); }
RANK_TEST(stencils_of_spaces_give_what_one_rank_computes) { take_random_steps<3>(8); }

RANK_TEST(the_border_goes_around_with_periodic_dimensions) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    dice d(seed);
    exchange_once<2>(d, am::world(), seed % 2 == 0 ? am::grid() : am::grid({1, am::ranks()}));
    exchange_once<3>(d, am::world(), am::grid());
  }
}

RANK_TEST(a_halo_may_lie_on_one_side) {
  for (const bool periodic : {false, true})
    for (const std::size_t width : {1, 2, 7}) {
      take_steps_one_way(width, 0, periodic);
      take_steps_one_way(0, width, periodic);
    }
  EXPECT_THROWS_SAYING(am::usage_error, "give one from 0 to 2", am::halo().sides(3, 1, 1));
}

RANK_TEST(stencils_go_over_borders_between_columns) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    dice d(seed);
    take_steps<2>(d, am::world(), columns(am::world()));
  }
}

RANK_TEST(algorithms_take_matrices_row_by_row) {
  am::matrix<int> a({7, 11}, am::grid(), am::halo(2)), b({7, 11}, columns(am::world()));
  am::iota(a, 0);
  EXPECT_EQ(am::reduce(a), 77 * 76 / 2);
  am::transform(a, b, [](int e) { return 2 * e; });
  EXPECT_EQ(am::find(b, 2 * 40), 40u);
  const std::vector<int> all = elements_of(b);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], int(2 * i));
  const am::matrix<int> c = a.clone();
  EXPECT_EQ(am::inner_product(a, c), am::inner_product(a, a));
  am::sort(b, std::greater<>{});
  EXPECT_EQ(int(b(0, 0)), 2 * 76);
  am::barrier();
}

RANK_TEST(a_matrix_has_cells_wherever_they_lie) {
  am::matrix<double> a({9, 5}, am::grid(), am::halo(1));
  if (am::rank() == am::ranks() - 1)
    for (std::size_t i = 0; i < 9; ++i) a(i, 4) = double(i);
  am::barrier();
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(double(std::as_const(a)(i, 4)), double(i));
  const auto mine = a.local();
  for (std::size_t i = 0; i < mine.extent(0); ++i)
    for (std::size_t j = 0; j < mine.extent(1); ++j) {
      EXPECT_EQ(a.rank_of({mine.origin(0) + i, mine.origin(1) + j}), am::rank());
      EXPECT_EQ(&mine(std::ptrdiff_t(i), std::ptrdiff_t(j)), &mine.row(std::ptrdiff_t(i))[j]);
    }
  EXPECT_EQ(a.index_of({2, 3}), 13u);
  EXPECT_THROWS_SAYING(am::usage_error, "coordinate 5 in dimension 1, which has 5 cells", a.ptr({0, 5}));
}

RANK_TEST(an_exchange_fills_the_halo) {
  am::matrix<int> a({8, 8}, am::grid(), am::halo(1).periodic());
  am::iota(a, 0);
  for (int round = 1; round <= 3; ++round) {
    auto under_way = a.begin_exchange();
    under_way.wait();
    auto mine = a.local();
    const auto n = std::ptrdiff_t(mine.extent(0)), m = std::ptrdiff_t(mine.extent(1));
    const auto expected = [&](std::ptrdiff_t i, std::ptrdiff_t j) {
      return round * int((std::size_t(i + 8) + mine.origin(0)) % 8 * 8 + (std::size_t(j + 8) + mine.origin(1)) % 8);
    };
    for (std::ptrdiff_t i = -1; i <= n && n > 0; ++i)
      for (std::ptrdiff_t j = -1; j <= m; ++j) EXPECT_EQ(mine(i, j), expected(i, j));
    for (std::ptrdiff_t i = 0; i < n; ++i)
      for (std::ptrdiff_t j = 0; j < m; ++j) mine(i, j) += mine(i, j) / round;
  }
  am::barrier();
}

RANK_TEST(a_transposed_matrix_has_rows_for_columns) {
  for_each_shape([](std::size_t n, std::size_t m, const am::grid& g) {
    am::matrix<int> a({n, m}, am::grid(), am::halo(1)), b({m, n}, g, am::halo(2));
    am::iota(a, 0);
    am::transpose(a, b);
    const std::vector<int> all = elements_of(b);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j) EXPECT_EQ(all[j * n + i], int(i * m + j));
  });
  am::matrix<int> a({3, 4}), b({3, 4});
  EXPECT_THROWS_SAYING(am::usage_error, "the output has 3 x 4 cells and the input 3 x 4", am::transpose(a, b));
}

RANK_TEST(a_transform_of_rows_a_transpose_and_another_are_the_transform_in_two_dimensions) {
  using number = std::complex<double>;
  constexpr std::size_t n = 16, m = 8;
  const auto angle = [](std::size_t k, std::size_t size) {
    return std::polar(1.0, -2 * std::numbers::pi * double(k) / double(size));
  };
  const auto transform = [angle](auto row) {  // radix 2
    const std::size_t size = row.size();
    for (std::size_t i = 1, j = 0; i < size; ++i) {
      std::size_t bit = size / 2;
      for (; j & bit; bit /= 2) j ^= bit;
      j ^= bit;
      if (i < j) std::swap(row[i], row[j]);
    }
    for (std::size_t half = 1; half < size; half *= 2)
      for (std::size_t i = 0; i < size; i += 2 * half)
        for (std::size_t k = 0; k < half; ++k) {
          const number a = row[i + k], b = row[i + k + half] * angle(k, 2 * half);
          row[i + k] = a + b;
          row[i + k + half] = a - b;
        }
  };
  const auto given = [](std::size_t i, std::size_t j) { return number(double(i * 7 % 5) - double(j), double(i * j % 3)); };
  am::matrix<number> a({n, m}, am::grid({am::ranks(), 1})), b({m, n}, am::grid({am::ranks(), 1}));
  am::for_each_index(a, [&](std::size_t at, number& e) { e = given(at / m, at % m); });
  am::for_each(am::views::rows(a), transform);
  am::transpose(a, b);
  am::for_each(am::views::rows(b), transform);
  const std::vector<number> found = elements_of(b);
  double worst = 0;
  for (std::size_t p = 0; p < n; ++p)
    for (std::size_t q = 0; q < m; ++q) {
      number direct = 0;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j) direct += given(i, j) * angle(i * p % n, n) * angle(j * q % m, m);
      worst = std::max(worst, std::abs(direct - found[q * n + p]));
    }
  EXPECT_LT(worst, 1e-10);
}

RANK_TEST(what_a_stencil_throws_ends_it_on_all_ranks) {
  am::matrix<int> a({6, 6}, am::grid(), am::halo(1)), b = a.like();
  EXPECT_THROWS_SAYING(am::remote_error, "element 35: too far", am::stencil(a, b, [](auto at) -> int {
                         if (at.index(0) == 5 && at.index(1) == 5) throw std::domain_error("too far");
                         return at(0, 0);
                       }));
  am::stencil(a, b, [](auto at) { return at(0, 0) + 1; });
  EXPECT_EQ(am::reduce(b), 36);
}

RANK_TEST(matrices_that_do_not_fit_are_refused) {
  am::matrix<int> a({6, 6}, am::grid(), am::halo(1)), other({6, 7}, am::grid(), am::halo(1)), none;
  const auto f = [](auto at) { return at(0, 0); };
  EXPECT_THROWS_SAYING(am::usage_error, "differ in extents or grid", am::stencil(a, other, f));
  EXPECT_THROWS_SAYING(am::usage_error, "are one matrix", am::stencil(a, a, f));
  EXPECT_THROWS_SAYING(am::usage_error, "it has no cells", am::stencil(none, a, f));
  EXPECT_THROWS_SAYING(am::usage_error, "whose product is", am::matrix<int>({6, 6}, am::grid({am::ranks() + 1, 1})));
  EXPECT_THROWS_SAYING(am::limit_error, "more than any segments hold", am::matrix<int>({std::size_t(-1), 6}));
}
