// SPDX-License-Identifier: Apache-2.0
// Algorithms over ranges that are in order, against those of the standard.
#include <cmath>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

using numbers = std::vector<int>;

numbers sorted(dice& d, std::size_t n, int most) {
  numbers all = d.numbers(n, most);
  std::ranges::sort(all);
  return all;
}

}  // namespace

RANK_TEST(merges_are_stable_wherever_inputs_and_output_lie) {
  const auto by_tens = [](int a, int b) { return a / 10 < b / 10; };  // equal elements can be told apart
  for_random_teams(20, [&](dice& d, const am::team& t) {
    const std::size_t n = d.size(), m = d.size();
    numbers a = d.numbers(n, 60), b = d.numbers(m, 60), expected(n + m);
    std::ranges::stable_sort(a, by_tens);
    std::ranges::stable_sort(b, by_tens);
    const auto x = spread(a, d.distribution(n, t)), y = spread(b, d.distribution(m, t));
    std::ranges::merge(a, b, expected.begin(), by_tens);
    am::vector<int> z(n + m, d.distribution(n + m, t));
    am::merge(x, y, z, by_tens);
    EXPECT_EQ(elements_of(z), expected);
    numbers both = a;
    both.insert(both.end(), b.begin(), b.end());
    auto w = spread(both, d.distribution(n + m, t));
    am::inplace_merge(w, n, by_tens);
    EXPECT_EQ(elements_of(w), expected);
  });
}

RANK_TEST(sets_are_combined_as_by_the_standard) {
  for_random_teams(20, [](dice& d, const am::team& t) {
    const std::size_t n = d.size(), m = d.size();
    const int most = int(2 + d.below(30));
    const numbers a = sorted(d, n, most), b = sorted(d, m, most);
    const auto x = spread(a, d.distribution(n, t)), y = spread(b, d.distribution(m, t));
    const auto expect = [&](auto algorithm, auto by_standard) {
      numbers expected;
      by_standard(std::back_inserter(expected));
      am::vector<int> z(n + m, d.distribution(n + m, t));
      EXPECT_EQ(algorithm(z), expected.size());
      EXPECT_EQ(elements_of(am::views::take(z, expected.size())), expected);
    };
    expect([&](auto& z) { return am::set_union(x, y, z); }, [&](auto to) { std::ranges::set_union(a, b, to); });
    expect([&](auto& z) { return am::set_intersection(x, y, z); }, [&](auto to) { std::ranges::set_intersection(a, b, to); });
    expect([&](auto& z) { return am::set_difference(x, y, z); }, [&](auto to) { std::ranges::set_difference(a, b, to); });
    expect([&](auto& z) { return am::set_symmetric_difference(x, y, z); },
           [&](auto to) { std::ranges::set_symmetric_difference(a, b, to); });
    EXPECT_EQ(am::includes(x, y), std::ranges::includes(a, b));
    const std::size_t some = d.below(n);
    EXPECT(am::includes(x, am::views::drop(x, some)));
  });
}

RANK_TEST(sets_of_many_numbers_are_combined_in_any_order_of_them) {
  for_random_teams(3, [](dice& d, const am::team& t) {
    const std::size_t n = 3000 + d.below(9000), m = 3000 + d.below(9000);
    std::vector<double> a(n), b(m);
    for (double& e : a) e = double(d.below(8000)) / 4;
    for (double& e : b) e = double(d.below(8000)) / 4;
    const auto more = [](double e, double f) { return std::floor(e) > std::floor(f); };
    std::ranges::stable_sort(a, more);
    std::ranges::stable_sort(b, more);
    const auto x = spread(a, am::on(t)), y = spread(b, am::on(t, am::blocks(d.sizes(m, t.size()))));
    am::vector<double> z(n + m, am::on(t));
    const auto expect = [&](std::size_t kept, auto by_standard) {
      std::vector<double> expected;
      by_standard(std::back_inserter(expected));
      EXPECT_EQ(kept, expected.size());
      EXPECT(elements_of(am::views::take(z, expected.size())) == expected);
    };
    expect(am::set_union(x, y, z, more), [&](auto to) { std::ranges::set_union(a, b, to, more); });
    expect(am::set_intersection(x, y, z, more), [&](auto to) { std::ranges::set_intersection(a, b, to, more); });
    expect(am::set_difference(x, y, z, more), [&](auto to) { std::ranges::set_difference(a, b, to, more); });
    expect(am::set_symmetric_difference(x, y, z, more), [&](auto to) { std::ranges::set_symmetric_difference(a, b, to, more); });
  });
}

RANK_TEST(bounds_are_found) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const numbers a = sorted(d, n, 15);
    const auto x = spread(a, d.distribution(n, t));
    for (int value = -16; value <= 16; value += 4) {
      const auto [first, end] = std::ranges::equal_range(a, value);
      const std::pair expected(std::size_t(first - a.begin()), std::size_t(end - a.begin()));
      EXPECT_EQ(am::lower_bound(x, value), expected.first);
      EXPECT_EQ(am::upper_bound(x, value), expected.second);
      EXPECT_EQ(am::equal_range(x, value), expected);
      EXPECT_EQ(am::binary_search(x, value), first != end);
      EXPECT_EQ(am::lower_bound(am::views::reverse(x), value, std::greater<>{}), n - expected.second);
    }
  });
}

RANK_TEST(an_output_that_is_too_short_and_an_order_that_throws_end_a_merge_on_all) {
  numbers a(100);
  std::iota(a.begin(), a.end(), 0);
  const auto x = spread(a, am::blocks());
  am::vector<int> z(150), wide(200);
  EXPECT_THROWS(am::usage_error, am::merge(x, x, z));
  EXPECT_THROWS(am::usage_error, am::set_union(x, x, am::views::take(z, 99)));
  const auto thrower = [](int e, int f) {
    if (e == 77 || f == 77) throw std::domain_error("no order");
    return e < f;
  };
  EXPECT_THROWS_SAYING(am::remote_error, "no order", am::merge(x, x, wide, thrower));
  EXPECT_THROWS_SAYING(am::remote_error, "no order", am::set_union(x, x, wide, thrower));
  EXPECT_EQ(elements_of(x), a);
}

// The member whose search fails tells the others nothing of use: they must stay in their ranges, and say what it threw.
RANK_TEST(an_order_that_throws_on_one_member_ends_a_merge_with_its_error) {
  if (am::ranks() < 2) return;
  am::vector<int> x(3000), y(40), out(3040);
  am::iota(x, 0);
  am::iota(y, 0);
  const auto thrower = [](int e, int f) {
    if (am::rank() == 1) throw std::domain_error("only here");
    return e < f;
  };
  EXPECT_THROWS_SAYING(am::remote_error, "only here", am::merge(x, y, out, thrower));
  EXPECT_THROWS_SAYING(am::remote_error, "only here", am::set_union(x, y, out, thrower));
  am::barrier();
}
