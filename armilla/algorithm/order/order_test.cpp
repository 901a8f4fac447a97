// SPDX-License-Identifier: Apache-2.0
// Orders beside sort, against those of the standard.
#include <bit>
#include <limits>
#include <numeric>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

using numbers = std::vector<int>;

std::vector<std::size_t> order_of(const numbers& a) {
  std::vector<std::size_t> order(a.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return a[i]; });
  return order;
}

// Element nth is where it belongs, and none is on the wrong side or lost.
void expect_selected(const numbers& after, const numbers& before, std::size_t nth) {
  numbers sorted = before, all = after;
  std::ranges::sort(sorted);
  std::ranges::sort(all);
  EXPECT_EQ(all, sorted);
  if (nth >= before.size()) return;
  EXPECT_EQ(after[nth], sorted[nth]);
  for (std::size_t i = 0; i < after.size(); ++i)
    if (i < nth ? after[i] > after[nth] : after[i] < after[nth]) EXPECT_EQ(i, nth);
}

}  // namespace

RANK_TEST(values_follow_their_keys_and_indices_tell_the_order) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const numbers a = d.numbers(n, 5), b = d.numbers(n);
    const auto order = order_of(a);
    auto x = spread(a, d.distribution(n, t)), y = spread(b, d.distribution(n, t));
    EXPECT_EQ(elements_of(am::argsort(x)), order);
    EXPECT_EQ(elements_of(x), a);
    am::sort_by_key(x, y);
    numbers keys, values;
    for (const std::size_t i : order) {
      keys.push_back(a[i]);
      values.push_back(b[i]);
    }
    EXPECT_EQ(elements_of(x), keys);
    EXPECT_EQ(elements_of(y), values);
    const auto down = elements_of(am::argsort(x, std::greater<>{}, [](int e) { return -e; }));
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(down[i], i);
  });
  am::vector<int> longer(10), shorter(9);
  EXPECT_THROWS(am::usage_error, am::sort_by_key(longer, shorter));
}

RANK_TEST(the_nth_element_is_found_among_few_and_many_and_equal_ones) {
  for_random_teams(10, [](dice& d, const am::team& t) {
    const std::size_t n = d.size(), nth = d.below(n + 1);
    const numbers a = d.numbers(n);
    auto x = spread(a, d.distribution(n, t));
    am::nth_element(x, nth);
    expect_selected(elements_of(x), a, nth);
  });
  dice d(4);
  const std::size_t many = 30'000;
  for (const int distinct : {1, 2, 1000, 1'000'000}) {
    const numbers a = d.numbers(many, distinct);
    for (const std::size_t nth : {std::size_t{0}, many / 3, many - 1}) {
      auto x = spread(a, d.distribution(many, am::world()));
      am::nth_element(x, nth);
      expect_selected(elements_of(x), a, nth);
    }
  }
}

RANK_TEST(the_first_elements_are_sorted) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{3}, std::size_t{500}, std::size_t{30'000}}) {
    dice d(unsigned(n) + 1);
    const numbers a = d.numbers(n, 100'000);
    numbers sorted = a;
    std::ranges::sort(sorted, std::greater<>{});
    for (const std::size_t some : {std::size_t{0}, n / 100 + (n > 0 ? 1 : 0), n / 2, n}) {
      const numbers expected(sorted.begin(), sorted.begin() + std::ptrdiff_t(some));
      auto x = spread(a, d.distribution(n, am::world()));
      am::vector<int> first(some, d.distribution(some, am::world()));
      EXPECT_EQ(am::partial_sort_copy(x, first, std::greater<>{}), some);
      EXPECT_EQ(elements_of(first), expected);
      EXPECT_EQ(elements_of(x), a);
      am::partial_sort(x, some, std::greater<>{});
      EXPECT_EQ(elements_of(am::views::take(x, some)), expected);
      numbers all = elements_of(x);
      std::ranges::sort(all, std::greater<>{});
      EXPECT_EQ(all, sorted);
    }
  }
}

RANK_TEST(an_order_that_throws_ends_a_selection_on_all_and_no_element_is_lost) {
  numbers a(30'000);
  std::iota(a.begin(), a.end(), 0);
  auto x = spread(a, am::blocks());
  const auto thrower = [](int e, int f) {
    if (e == 29'990 || f == 29'990) throw std::domain_error("no order");
    return e < f;
  };
  EXPECT_THROWS_SAYING(am::remote_error, "no order", am::nth_element(x, 100, thrower));
  expect_selected(elements_of(x), a, a.size());
}

RANK_TEST(nans_come_last_of_the_least_and_the_greatest_wherever_they_lie) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for_random_teams(20, [nan](dice& d, const am::team& t) {
    const std::size_t n = 1 + d.size(), k = d.below(12), kind = 1 + d.below(3);  // of some, many and nothing else
    std::vector<double> a(n);
    for (double& e : a) e = d.below(3) < kind ? nan : double(d.below(9));
    const am::vector<double> x = spread(a, d.distribution(n, t));
    std::vector<std::size_t> up(n), down;
    std::iota(up.begin(), up.end(), std::size_t(0));
    down = up;
    const auto before = [](double e, double f, bool first) { return first || (e == e && f != f); };
    std::stable_sort(up.begin(), up.end(), [&](std::size_t i, std::size_t j) { return before(a[i], a[j], a[i] < a[j]); });
    std::stable_sort(down.begin(), down.end(), [&](std::size_t i, std::size_t j) { return before(a[i], a[j], a[j] < a[i]); });
    const auto same = [](double e, double f) { return e == f || (e != e && f != f); };

    EXPECT_EQ(am::min_element(x), up.front());
    EXPECT_EQ(am::max_element(x), down.front());
    EXPECT(am::minmax_element(x) == std::pair(up.front(), down.front()));
    EXPECT_EQ(am::min_element(x, std::greater<>{}), down.front());
    EXPECT_EQ(am::max_element(am::views::transform(x, [](double e) { return -e; })), up.front());
    EXPECT_EQ(am::max_element(am::views::enumerate(x), {}, [](const auto& e) { return double(std::get<1>(e)); }), down.front());
    EXPECT(same(am::min(x), a[up.front()]) && same(am::max(x), a[down.front()]));
    EXPECT(same(am::minmax(x).first, a[up.front()]) && same(am::minmax(x).second, a[down.front()]));
    const auto top = am::top_k(x, k), low = am::top_k(x, k, std::negate<>{});
    EXPECT_EQ(top.size(), std::min(k, n));
    for (std::size_t i = 0; i < top.size(); ++i) EXPECT(top[i].first == down[i] && same(top[i].second, a[down[i]]));
    for (std::size_t i = 0; i < low.size(); ++i) EXPECT(low[i].first == up[i] && same(low[i].second, a[up[i]]));
    t.barrier();
  });
}

RANK_TEST(top_k_finds_the_greatest_with_their_indices) {
  for_random_teams(20, [](dice& d, const am::team& t) {
    const std::size_t n = d.size(), k = d.below(12);
    const std::vector<int> a = d.numbers(n, 6);
    const am::vector<int> x = spread(a, d.distribution(n, t));
    std::vector<std::pair<std::size_t, int>> oracle;
    for (std::size_t i = 0; i < n; ++i) oracle.emplace_back(i, a[i]);
    const auto sorted_by = [&](auto of) {
      auto all = oracle;
      std::stable_sort(all.begin(), all.end(), [&](const auto& p, const auto& q) { return of(q.second) < of(p.second); });
      if (all.size() > k) all.resize(k);
      return all;
    };
    EXPECT(am::top_k(x, k) == sorted_by(std::identity{}));
    EXPECT(am::top_k(am::views::transform(x, [](int e) { return -e; }), k, std::negate<>{}).size() == std::min(n, k));
    EXPECT(am::top_k(x, k, std::negate<>{}) == sorted_by(std::negate<>{}));
    t.barrier();
  });
  am::vector<int> x(100, 1);
  EXPECT_THROWS_SAYING(am::remote_error, "no order", am::top_k(x, 3, [](int) -> int { throw std::runtime_error("no order"); }));
}

// Of many numbers most are passed over; among them are NaNs, both zeros and equal ones.
RANK_TEST(top_k_of_many_numbers_is_what_a_sort_of_all_begins_with) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for_random_teams(6, [nan](dice& d, const am::team& t) {
    const std::size_t n = 2000 + d.below(3000), k = d.below(200), values = d.below(2) == 0 ? 7 : 100'000;
    std::vector<double> a(n);
    for (double& e : a) e = d.below(9) == 0 ? nan : d.below(9) == 0 ? -0.0 : double(d.below(values)) - double(values / 2);
    const am::vector<double> x = spread(a, d.distribution(n, t));
    std::vector<std::size_t> at(n);
    std::iota(at.begin(), at.end(), std::size_t(0));
    std::stable_sort(at.begin(), at.end(),
                     [&](std::size_t i, std::size_t j) { return a[j] < a[i] || (a[i] == a[i] && a[j] != a[j]); });
    const auto top = am::top_k(x, k);
    EXPECT_EQ(top.size(), std::min(n, k));
    for (std::size_t i = 0; i < top.size(); ++i) {
      EXPECT_EQ(top[i].first, at[i]);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(top[i].second), std::bit_cast<std::uint64_t>(a[at[i]]));
    }
    t.barrier();
  });
}
