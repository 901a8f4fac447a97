// SPDX-License-Identifier: Apache-2.0
// Algorithms with am::nowait or am::reproducible in front of their arguments.
#include <bit>
#include <cmath>
#include <numeric>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

namespace v = am::views;
using numbers = std::vector<int>;

std::vector<double> reals(dice& d, std::size_t n) {
  std::vector<double> all(n);
  for (double& x : all) x = std::ldexp(double(d.below(1'000'000)) - 500'000, int(d.below(60)) - 30);
  return all;
}

}  // namespace

RANK_TEST(nowait_does_all_but_the_agreement) {
  for_random_teams(6, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const numbers a = d.numbers(n), b = d.numbers(n);
    const am::distribution where = d.distribution(n, t);
    auto x = spread(a, where);
    const auto y = spread(b, where);
    am::vector<int> z(n, where), w(n, where), u(2 * n, d.distribution(2 * n, t));
    am::transform(am::nowait, x, y, z, std::plus<>{});
    am::fill_n(am::nowait, z, n / 2, 3);
    am::replace(am::nowait, z, 3, 4);
    am::copy_n(am::nowait, y, n / 3, w);
    am::for_each_n(am::nowait, w, n / 4, [](int& e) { e = 9; });
    am::swap_ranges(am::nowait, z, w);
    am::inclusive_scan(am::nowait, x, z);
    const std::size_t kept = am::copy_if(am::nowait, x, u, [](int e) { return e > 0; });
    t.barrier();
    numbers sums(n), positive;
    std::inclusive_scan(a.begin(), a.end(), sums.begin());
    std::ranges::copy_if(a, std::back_inserter(positive), [](int e) { return e > 0; });
    EXPECT_EQ(elements_of(z), sums);
    EXPECT_EQ(elements_of(v::take(u, kept)), positive);
    for (std::size_t i = 0; i < n; ++i) sums[i] = i < n / 2 ? 4 : a[i] + b[i] == 3 ? 4 : a[i] + b[i];
    EXPECT_EQ(elements_of(w), sums);
    am::sort(x);
    am::vector<int> sorted(n, where);
    am::copy(y, sorted);
    am::sort(sorted);
    am::merge(am::nowait, x, sorted, u);
    t.barrier();
    EXPECT_EQ(am::is_sorted(u), true);
  });
}

RANK_TEST(axpy_and_axpby_add_vectors_that_are_dealt_in_any_way) {
  for_random_teams(8, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const std::vector<double> a = reals(d, n), b = reals(d, n);
    const auto x = spread(a, d.distribution(n, t));
    auto y = spread(b, d.distribution(n, t));
    std::vector<double> sums(n);
    am::axpy(-3, x, y);
    for (std::size_t i = 0; i < n; ++i) sums[i] = b[i] + -3 * a[i];
    EXPECT_EQ(elements_of(y), sums);
    am::axpby(am::nowait, 0.5, v::reverse(x), 4.0, y);
    t.barrier();
    for (std::size_t i = 0; i < n; ++i) sums[i] = 0.5 * a[n - 1 - i] + 4 * sums[i];
    EXPECT_EQ(elements_of(y), sums);
    am::axpy(am::nowait, 1.0, y, y);
    t.barrier();
    for (double& e : sums) e *= 2;
    EXPECT_EQ(elements_of(y), sums);
    const am::vector<double> longer(n + 1, am::on(t));
    EXPECT_THROWS_SAYING(am::usage_error, "axpby: the vector y has", am::axpby(1, longer, 1, y));
    EXPECT_THROWS_SAYING(am::usage_error, "axpy: the vector y has", am::axpy(1, v::reverse(longer), y));
  });
}

RANK_TEST(nowait_keeps_an_error_for_the_next_meeting) {
  am::vector<int> x(100), y(100);
  am::iota(am::nowait, x, 0);
  am::generate(am::nowait, y, []() -> int { throw std::domain_error("no number"); });  // no rank throws here
  EXPECT_THROWS_SAYING(am::remote_error, "no number", am::fill(x, 1));
  am::fill(y, 2);
  EXPECT_EQ(am::reduce(y), 200);
}

namespace {

void leave_an_error(const am::team& t) {
  am::vector<int> x(100, 0, am::on(t));
  am::for_each(am::nowait, x, [](int&) { throw std::domain_error("left behind"); });
}

}  // namespace

RANK_TEST(a_fence_throws_the_error_of_nowait_once) {
  leave_an_error(am::world());
  EXPECT_THROWS_SAYING(am::remote_error, "element 0: left behind (in for_each that did not wait)", am::fence());
  am::fence();
  am::vector<int> y(10, 1);
  EXPECT_EQ(am::reduce(y), 10);
}

RANK_TEST(a_fence_of_a_team_throws_the_error_of_nowait_of_that_team) {
  const am::team half = am::world().split(am::rank() % 2);
  if (am::rank() % 2 == 0) leave_an_error(half);
  if (am::rank() % 2 == 0)
    EXPECT_THROWS_SAYING(am::remote_error, "left behind", half.fence());
  else
    half.fence();
  am::fence();
}

RANK_TEST(a_fence_of_other_members_leaves_the_error_of_nowait) {
  const am::team half = am::world().split(am::rank() % 2), alone = am::world().split(am::rank());
  if (am::rank() % 2 == 0) leave_an_error(half);
  if (half.size() > 1) alone.fence();
  EXPECT_THROWS_SAYING(am::remote_error, "left behind", am::fence());
}

RANK_TEST(nowait_of_one_algorithm_is_not_that_of_the_next) {
  am::vector<int> x(10);
  am::vector<int> shorter(3);
  EXPECT_THROWS_SAYING(am::usage_error, "10 elements for a range of 3", am::reverse_copy(am::nowait, x, shorter));
  EXPECT_THROWS_SAYING(am::remote_error, "at once", am::for_each(x, [](int&) { throw std::domain_error("at once"); }));
}

RANK_TEST(reproducible_folds_have_the_same_bits_on_any_ranks) {
  const am::team alone = am::world().split(am::rank());
  for_random_teams(4, [&alone](dice& d, const am::team& t) {
    for (const std::size_t n : {d.below(5), d.below(3000), 1024 + d.below(2), 5000 + d.below(20'000)}) {
      const std::vector<double> a = reals(d, n), b = reals(d, n);
      const auto x = spread(a, d.distribution(n, t)), y = spread(b, d.distribution(n, t));
      const auto mine = spread(a, am::on(alone)), other = spread(b, am::on(alone, am::cyclic(7)));
      const auto same = [](double e, double f) { return std::bit_cast<std::uint64_t>(e) == std::bit_cast<std::uint64_t>(f); };
      EXPECT(same(am::reduce(am::reproducible, x), am::reduce(am::reproducible, mine)));
      EXPECT(same(am::inner_product(am::reproducible, x, y), am::inner_product(am::reproducible, mine, other)));
      EXPECT(same(am::norm(am::reproducible, x), am::norm(am::reproducible, mine)));
      if (n > 0) EXPECT(same(am::mean(am::reproducible, x), am::mean(am::reproducible, mine)));
      double scale = 0;
      for (const double e : a) scale += std::abs(e);
      EXPECT(std::abs(am::reduce(am::reproducible, x) - am::reduce(x)) <= scale * 1e-12);
    }
  });
}

RANK_TEST(reproducible_folds_keep_the_order_of_indices) {
  for_random_teams(4, [](dice& d, const am::team& t) {
    const std::size_t n = 3000 + d.below(4000);
    std::vector<long> a(n);
    for (std::size_t i = 0; i < n; ++i) a[i] = long(i) + 1;
    const auto x = spread(a, d.distribution(n, t));
    EXPECT_EQ(am::reduce(am::reproducible, x, 0L), long(n * (n + 1) / 2));
    EXPECT_EQ(am::transform_reduce(
                  am::reproducible, x, 7L, [](long e, long f) { return std::max(e, f); }, [](long e) { return 2 * e; }),
              2 * long(n));
  });
  am::vector<int> x(3000);
  am::for_each_index(x, [](std::size_t i, int& e) { e = i == 2500 ? -9 : 0; });
  EXPECT_THROWS_SAYING(am::remote_error, "element 2500: too low", am::reduce(am::reproducible, x, 0, [](int a, int b) {
                         if (b < 0) throw std::domain_error("too low");
                         return a + b;
                       }));
}

RANK_TEST(scans_by_key_begin_anew_with_each_row_of_equal_keys) {
  for_random_teams(20, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const std::vector<int> k = d.numbers(n, 2), a = d.numbers(n);
    std::vector<int> sums = a, greatest = a, of_signs = a;
    const auto sign = [](int e, int f) { return (e < 0) == (f < 0); };
    for (std::size_t i = 1; i < n; ++i) {
      if (k[i] == k[i - 1]) sums[i] += sums[i - 1];
      if (k[i] == k[i - 1]) greatest[i] = std::max(greatest[i], greatest[i - 1]);
      if (sign(k[i], k[i - 1])) of_signs[i] = of_signs[i - 1] + a[i];
    }
    auto keys = spread(k, d.distribution(n, t)), x = spread(a, d.distribution(n, t)), y = spread(a, d.distribution(n, t));
    am::inclusive_scan_by_key(keys, x, y);
    EXPECT_EQ(elements_of(y), sums);
    am::inclusive_scan_by_key(keys, x, y, [](int e, int f) { return std::max(e, f); });
    EXPECT_EQ(elements_of(y), greatest);
    am::inclusive_scan_by_key(keys, x, x, std::plus<>{}, sign);
    EXPECT_EQ(elements_of(x), of_signs);
  });
  am::vector<int> longer(10), shorter(9);
  EXPECT_THROWS_SAYING(am::usage_error, "inclusive_scan_by_key", am::inclusive_scan_by_key(longer, shorter, longer));
  EXPECT_THROWS_SAYING(am::usage_error, "inclusive_scan_by_key", am::inclusive_scan_by_key(longer, longer, shorter));
}

RANK_TEST(copies_that_replace_scans_of_projections_and_greatest_elements_are_those_of_the_standard) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const std::vector<int> a = d.numbers(n);
    std::vector<int> expected(n);
    auto x = spread(a, d.distribution(n, t)), y = spread(a, d.distribution(n, t));
    const auto odd = [](int e) { return e % 2 != 0; };
    am::replace_copy_if(x, y, odd, 100);
    std::replace_copy_if(a.begin(), a.end(), expected.begin(), odd, 100);
    EXPECT_EQ(elements_of(y), expected);
    const auto square = [](int e) { return e * e; };
    am::transform_inclusive_scan(x, y, std::plus<>{}, square);
    std::transform_inclusive_scan(a.begin(), a.end(), expected.begin(), std::plus<>{}, square);
    EXPECT_EQ(elements_of(y), expected);
    am::partial_sum(x, y);
    std::partial_sum(a.begin(), a.end(), expected.begin());
    EXPECT_EQ(elements_of(y), expected);
    if (n == 0) return;
    EXPECT_EQ(am::max(x), *std::max_element(a.begin(), a.end()));
    EXPECT_EQ(am::min(x, std::greater<>{}), *std::max_element(a.begin(), a.end()));
    EXPECT_EQ(am::max(x, std::less<>{}, square),
              *std::max_element(a.begin(), a.end(), [&](int e, int f) { return square(e) < square(f); }));
  });
}
