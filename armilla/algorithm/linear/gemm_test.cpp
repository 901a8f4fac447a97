// SPDX-License-Identifier: Apache-2.0
// Products of matrices, against three loops. All numbers are small integers, so that sums in any order are the same.
#include <cmath>
#include <limits>

#include "armilla/algorithm/ranges_test.hpp"
#include "armilla/linear_algebra.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

am::grid any_grid(dice& d, const am::team& t) {
  switch (d.below(4)) {
    case 0: return am::on(t, am::grid({1, t.size()}));
    case 1: return am::on(t, am::grid({t.size(), 1}));
    case 2: return am::on(t, am::grid());
    default: return am::on(t, am::grid({t.size() / (t.size() % 2 == 0 ? 2 : 1), t.size() % 2 == 0 ? 2 : 1}));
  }
}

template <class T>
am::matrix<T> some_matrix(dice& d, std::size_t rows, std::size_t columns, const am::team& t) {
  am::matrix<T> made({rows, columns}, any_grid(d, t), am::halo(d.below(3)));
  const std::size_t seed = d.below(100);
  am::for_each_index(made, [seed](std::size_t i, T& e) { e = T((i * 7 + seed) % 11) - T(5); });
  return made;
}

template <class T>
std::vector<T> three_loops(const std::vector<T>& a, const std::vector<T>& b, std::size_t n, std::size_t k, std::size_t m) {
  std::vector<T> c(n * m);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t j = 0; j < m; ++j) c[i * m + j] += a[i * k + p] * b[p * m + j];
  return c;
}

template <class T>
std::vector<T> some_numbers(dice& d, std::size_t n) {
  const std::vector<int> all = d.numbers(n);
  return {all.begin(), all.end()};
}

template <class T>
void multiply_vectors(int rounds, std::size_t most) {
  for_random_teams(rounds, [most](dice& d, const am::team& t) {
    const std::size_t n = 1 + d.below(most), k = 1 + d.below(most);
    const auto a = some_matrix<T>(d, n, k, t);
    const std::vector<T> of_x = some_numbers<T>(d, k), of_y = some_numbers<T>(d, n);
    const auto x = spread(of_x, d.distribution(k, t));
    auto y = spread(of_y, d.distribution(n, t));
    const std::vector<T> product = three_loops(elements_of(a), of_x, n, k, 1);
    am::gemv(2, a, x, 3, y);
    std::vector<T> expected(n);
    for (std::size_t i = 0; i < n; ++i) expected[i] = 2 * product[i] + 3 * of_y[i];
    EXPECT(elements_of(y) == expected);
    am::gemv(a, x, y);
    EXPECT(elements_of(y) == product);
  });
}

template <class T>
void multiply_many(int rounds, std::size_t most) {
  for_random_teams(rounds, [most](dice& d, const am::team& t) {
    const std::size_t n = 1 + d.below(most), k = 1 + d.below(most), m = 1 + d.below(most);
    const auto a = some_matrix<T>(d, n, k, t), b = some_matrix<T>(d, k, m, t);
    auto c = some_matrix<T>(d, n, m, t);
    const std::vector<T> before = elements_of(c), product = three_loops(elements_of(a), elements_of(b), n, k, m);
    am::gemm(2, a, b, 3, c);
    std::vector<T> expected(before.size());
    for (std::size_t i = 0; i < before.size(); ++i) expected[i] = 2 * product[i] + 3 * before[i];
    EXPECT(elements_of(c) == expected);
    am::gemm(a, b, c);
    EXPECT(elements_of(c) == product);
  });
}

}  // namespace

RANK_TEST(products_between_any_grids) {
  multiply_many<double>(12, 40);
  multiply_many<float>(6, 70);
}

RANK_TEST(products_larger_than_a_block_in_the_caches) {
  dice d(3);
  const auto a = some_matrix<double>(d, 21, 600, am::world()), b = some_matrix<double>(d, 600, 900, am::world());
  auto c = some_matrix<double>(d, 21, 900, am::world());
  am::gemm(a, b, c);
  EXPECT(elements_of(c) == three_loops(elements_of(a), elements_of(b), 21, 600, 900));
}

RANK_TEST(what_an_output_held_does_not_count_without_it) {
  am::matrix<double> a({5, 5}), b({5, 5}), c({5, 5});
  am::fill(c, std::numeric_limits<double>::quiet_NaN());
  am::gemm(a, b, c);
  EXPECT_EQ(elements_of(c), std::vector<double>(25, 0.0));
  am::vector<double> x(5), y(5, std::numeric_limits<double>::quiet_NaN());
  am::gemv(a, x, y);
  EXPECT_EQ(elements_of(y), std::vector<double>(5, 0.0));
}

RANK_TEST(products_with_vectors_of_any_distribution) {
  multiply_vectors<double>(24, 40);
  multiply_vectors<float>(8, 200);
}

RANK_TEST(a_vector_becomes_its_own_product) {
  for_random_teams(8, [](dice& d, const am::team& t) {
    const std::size_t n = 1 + d.below(60);
    const auto a = some_matrix<double>(d, n, n, t);
    const std::vector<double> before = some_numbers<double>(d, n);
    auto x = spread(before, d.distribution(n, t));
    am::gemv(a, x, x);
    EXPECT(elements_of(x) == three_loops(elements_of(a), before, n, n, 1));
  });
}

RANK_TEST(vectors_that_do_not_fit_are_refused) {
  am::matrix<double> a({3, 4});
  am::vector<double> x(3), y(4);
  EXPECT_THROWS_SAYING(am::usage_error, "gemv: the input has 3 elements and must have 4", am::gemv(a, x, x));
  EXPECT_THROWS_SAYING(am::usage_error, "gemv: the output has 4 elements and must have 3", am::gemv(a, y, y));
}

RANK_TEST(matrices_that_do_not_fit_are_refused) {
  am::matrix<double> a({3, 4}), b({5, 3}), c({3, 3}), square({3, 3});
  EXPECT_THROWS_SAYING(am::usage_error, "inputs of 3 x 4 and 5 x 3 cells", am::gemm(a, b, c));
  EXPECT_THROWS_SAYING(am::usage_error, "the output is another matrix", am::gemm(c, square, c));
}
