// SPDX-License-Identifier: Apache-2.0
// Algorithms that move elements, against those of the standard.
#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

using numbers = std::vector<int>;

}  // namespace

RANK_TEST(elements_are_reversed_and_rotated) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const std::size_t n = d.size(), middle = d.below(n + 1);
    const numbers a = d.numbers(n);
    auto x = spread(a, d.distribution(n, t));
    am::vector<int> y(n, d.distribution(n, t));
    numbers expected(n);
    std::ranges::reverse_copy(a, expected.begin());
    am::reverse_copy(x, y);
    EXPECT_EQ(elements_of(y), expected);
    am::reverse(y);
    EXPECT_EQ(elements_of(y), a);
    std::rotate_copy(a.begin(), a.begin() + std::ptrdiff_t(middle), a.end(), expected.begin());
    am::rotate_copy(x, middle, y);
    EXPECT_EQ(elements_of(y), expected);
    EXPECT_EQ(am::rotate(x, middle), n - middle);
    EXPECT_EQ(elements_of(x), expected);
    EXPECT_THROWS(am::usage_error, am::rotate(x, n + 1));
  });
}

RANK_TEST(elements_are_shifted) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const std::size_t n = d.size(), by = d.below(n + 2);
    const numbers a = d.numbers(n);
    auto x = spread(a, d.distribution(n, t)), y = spread(a, d.distribution(n, t));
    numbers left = a, right = a;
    const auto end = std::shift_left(left.begin(), left.end(), std::ptrdiff_t(by));
    const auto begin = std::shift_right(right.begin(), right.end(), std::ptrdiff_t(by));
    EXPECT_EQ(am::shift_left(x, by), std::size_t(end - left.begin()));
    EXPECT_EQ(am::shift_right(y, by), std::size_t(begin - right.begin()));
    EXPECT_EQ(elements_of(x), left);
    EXPECT_EQ(elements_of(y), right);
  });
}

RANK_TEST(a_shuffle_loses_nothing_and_depends_on_the_seed_alone) {
  for_random_teams(10, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    numbers a(n);
    std::iota(a.begin(), a.end(), 0);
    auto x = spread(a, d.distribution(n, t)), y = spread(a, d.distribution(n, t));
    am::shuffle(x, 5);
    am::shuffle(y, 5);
    numbers all = elements_of(x);
    EXPECT_EQ(all, elements_of(y));
    if (n > 20) EXPECT(all != a);
    std::ranges::sort(all);
    EXPECT_EQ(all, a);
  });
}

RANK_TEST(each_place_of_a_shuffle_gets_each_element) {
  std::vector<std::size_t> seen(16);
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    numbers a{0, 1, 2, 3};
    auto x = spread(a, am::blocks());
    am::shuffle(x, seed);
    a = elements_of(x);
    for (std::size_t i = 0; i < 4; ++i) ++seen[i * 4 + std::size_t(a[i])];
  }
  // The seeds are fixed: 100 expected, a standard deviation is 9.
  for (const std::size_t times : seen) EXPECT(times > 55 && times < 145);
}

RANK_TEST(a_sample_is_a_part_of_the_elements_in_order) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const std::size_t n = d.size(), k = d.below(n + 3);
    numbers a(n);
    std::iota(a.begin(), a.end(), 0);
    const auto x = spread(a, d.distribution(n, t));
    am::vector<int> y(k, d.distribution(k, t));
    EXPECT_EQ(am::sample(x, y, 3), std::min(n, k));
    const numbers some = elements_of(am::views::take(y, std::min(n, k)));
    EXPECT(std::ranges::adjacent_find(some, std::greater_equal<>{}) == some.end());
    EXPECT(some.empty() || (some.front() >= 0 && some.back() < int(n)));
  });
}

RANK_TEST(a_sample_does_not_depend_on_how_elements_are_dealt) {
  for_random_teams(10, [](dice& d, const am::team& t) {
    const std::size_t n = d.size(), k = d.below(n + 1);
    std::vector<std::string> a(n);
    for (std::string& e : a) e = std::string(d.below(40), 'x') + std::to_string(d.below(1000));
    const auto in_blocks = spread(a, am::on(t)), dealt = spread(a, d.distribution(n, t));
    am::vector<std::string> y(k, am::on(t)), z(k, d.distribution(k, t));
    am::sample(in_blocks, y, 5);
    am::sample(dealt, z, 5);
    EXPECT_EQ(elements_of(y), elements_of(z));
    am::vector<std::size_t> i(k, d.distribution(k, t));
    am::sample(am::views::iota(std::size_t{0}, n), i, 5);
    const std::vector<std::size_t> chosen = elements_of(i);
    const std::vector<std::string> all = elements_of(z);
    for (std::size_t j = 0; j < k; ++j) EXPECT_EQ(all[j], a[chosen[j]]);
  });
}

RANK_TEST(forms_that_do_not_wait_do_the_same_behind_a_meeting) {
  for_random_teams(10, [](dice& d, const am::team& t) {
    const std::size_t n = 1 + d.size(), k = d.below(n);
    const std::vector<int> a = d.numbers(n);
    const auto check = [&](auto call, auto standards) {
      auto x = spread(a, d.distribution(n, t)), y = spread(a, d.distribution(n, t));
      call(x, y);
      t.barrier();
      std::vector<int> b = a, c = a;
      standards(b, c);
      EXPECT_EQ(elements_of(x), b);
      EXPECT_EQ(elements_of(y), c);
    };
    const auto at = std::ptrdiff_t(k);
    check([&](auto& x, auto&) { EXPECT_EQ(am::rotate(am::nowait, x, k), n - k); },
          [&](auto& x, auto&) { std::rotate(x.begin(), x.begin() + at, x.end()); });
    check([&](auto& x, auto& y) { am::rotate_copy(am::nowait, x, k, y); },
          [&](auto& x, auto& y) { std::rotate_copy(x.begin(), x.begin() + at, x.end(), y.begin()); });
    check([&](auto& x, auto&) { EXPECT_EQ(am::shift_left(am::nowait, x, k), n - k); },
          [&](auto& x, auto&) { std::copy(x.begin() + at, x.end(), x.begin()); });
    check([&](auto& x, auto&) { EXPECT_EQ(am::shift_right(am::nowait, x, k), k); },
          [&](auto& x, auto&) { std::copy_backward(x.begin(), x.end() - at, x.end()); });
    check([&](auto& x, auto& y) { am::adjacent_difference(am::nowait, x, y); },
          [&](auto& x, auto& y) { std::adjacent_difference(x.begin(), x.end(), y.begin()); });
    const auto even = [](int e) { return e % 2 == 0; };
    check([&](auto& x, auto&) { am::partition(am::nowait, x, even); },
          [&](auto& x, auto&) { std::stable_partition(x.begin(), x.end(), even); });
    std::vector<int> two = a;
    std::sort(two.begin(), two.begin() + at);
    std::sort(two.begin() + at, two.end());
    auto x = spread(two, d.distribution(n, t)), y = spread(two, d.distribution(n, t));
    am::inplace_merge(am::nowait, x, k);
    t.barrier();
    std::inplace_merge(two.begin(), two.begin() + at, two.end());
    EXPECT_EQ(elements_of(x), two);
    EXPECT_EQ(am::set_union(am::nowait, x, x, y), n);
    t.barrier();
    EXPECT_EQ(elements_of(y), two);
  });
}

RANK_TEST(what_a_form_that_does_not_wait_throws_comes_at_the_next_agreement) {
  am::vector<int> x(100, 1), y(100);
  am::adjacent_difference(am::nowait, x, y, [](int, int) -> int { throw std::domain_error("no difference"); });
  EXPECT_THROWS_SAYING(am::remote_error, "no difference", am::fill(y, 2));
  am::fill(y, 3);
  EXPECT_EQ(am::count(y, 3), 100U);
}
