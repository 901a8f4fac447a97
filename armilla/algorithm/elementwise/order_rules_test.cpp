// SPDX-License-Identifier: Apache-2.0
// Ranges that are not in order, and comparators that are no strict weak orders: each algorithm ends on all members, changes
// nothing outside of its output, and where it only moves elements each is there once. A checked program says what is wrong.
#include <functional>
#include <limits>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

using numbers = std::vector<int>;

/// Beside the ranges, in the same memory: nobody may write to it.
class canaries {
 public:
  canaries() : low_(16), high_(16) {
    for (int& e : low_.local()) e = 4711;
    for (int& e : high_.local()) e = 4711;
  }
  void check() const {
    for (const int e : low_.local()) EXPECT_EQ(e, 4711);
    for (const int e : high_.local()) EXPECT_EQ(e, 4711);
  }

 private:
  am::array<int> low_, high_;
};

/// A release build does it; a checked one may refuse it instead, on all members.
template <class F>
void attempt(F f) {
  if constexpr (am::detail::checked) {
    try {
      f();
    } catch (const am::usage_error&) {}
  } else {
    f();
  }
  am::barrier();
}

template <class Less>
struct ordering {
  Less less;
  numbers a, b;
  am::distribution how, how_out;

  am::vector<int> first() const { return spread(a, how); }
  am::vector<int> second() const { return spread(b, am::blocks()); }
  am::vector<int> output() const { return am::vector<int>(a.size() + b.size(), how_out); }

  static numbers sorted(numbers all) {
    std::ranges::sort(all);
    return all;
  }
  static void expect_same(const numbers& now, const numbers& before, int line) {
    EXPECT_EQ(sorted(now) == sorted(before) ? 0 : line, 0);
  }

  /// `algorithm(x)` leaves the elements of x, in any order.
  template <class F>
  void moves(F algorithm, int line = __builtin_LINE()) const {
    auto x = first();
    const canaries around;
    attempt([&] { algorithm(x); });
    expect_same(elements_of(x), a, line);
    around.check();
  }
  /// `algorithm(x, y, out)` writes as many elements as it says, and none behind them.
  template <class F>
  void writes(F algorithm) const {
    const auto x = first(), y = second();
    auto out = output();
    am::fill(out, -1);
    const canaries around;
    std::size_t n = out.size();  // unless it says how many
    attempt([&] { n = algorithm(x, y, out); });
    const numbers all = elements_of(out);
    EXPECT(n <= all.size());
    for (std::size_t i = n; i < all.size(); ++i) EXPECT_EQ(all[i], -1);
    around.check();
  }

  void run_all() const {
    const std::size_t n = a.size();
    moves([&](auto& x) { am::sort(x, less); });
    moves([&](auto& x) { am::stable_sort(x, less); });
    moves([&](auto& x) { am::sort(am::views::drop(x, n / 3), less); });
    moves([&](auto& x) { am::nth_element(x, n / 2, less); });
    moves([&](auto& x) { am::partial_sort(x, n / 3, less); });
    moves([&](auto& x) { am::inplace_merge(x, n / 2, less); });
    moves([&](auto& x) {
      auto values = first();
      am::sort_by_key(x, values, less);
      EXPECT(elements_of(x) == elements_of(values));
    });
    moves([&](auto& x) { expect_permutation(am::argsort(x, less)); });
    writes([&](auto& x, auto&, auto& out) { return am::partial_sort_copy(x, am::views::take(out, n / 2), less); });
    writes([&](auto& x, auto& y, auto& out) { return am::merge(x, y, out, less), out.size(); });
    merges();
    writes([&](auto& x, auto& y, auto& out) { return am::set_union(x, y, out, less); });
    writes([&](auto& x, auto& y, auto& out) { return am::set_intersection(x, y, out, less); });
    writes([&](auto& x, auto& y, auto& out) { return am::set_difference(x, y, out, less); });
    writes([&](auto& x, auto& y, auto& out) { return am::set_symmetric_difference(x, y, out, less); });
    writes([&](auto& x, auto&, auto& out) { return am::unique_copy(x, out, less); });
    asks();
  }
  void expect_permutation(const am::vector<std::size_t>& order) const {
    auto all = elements_of(order);
    std::ranges::sort(all);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
  }
  /// Of a merge each element is there once.
  void merges() const {
    const auto x = first(), y = second();
    auto out = output();
    bool done = false;
    attempt([&] { am::merge(x, y, out, less), done = true; });
    if (!done) return;
    numbers both = a;
    both.insert(both.end(), b.begin(), b.end());
    expect_same(elements_of(out), both, __LINE__);
  }
  /// Answers that are no answers, but the same on all members where the comparator is.
  void asks() const {
    const auto x = first(), y = second();
    const std::size_t n = a.size();
    const auto position = [n](std::size_t at) { EXPECT(at <= n || at == am::npos); };
    attempt([&] { (void)am::includes(x, y, less); });
    attempt([&] { position(am::lower_bound(x, 3, less)); });
    attempt([&] { position(am::upper_bound(x, 3, less)); });
    attempt([&] {
      const auto [from, end] = am::equal_range(x, 3, less);
      EXPECT(from <= end && end <= n);
    });
    attempt([&] { (void)am::binary_search(x, 3, less); });
    attempt([&] { position(am::partition_point(x, [&](int e) { return less(e, 3); })); });
    attempt([&] { (void)am::is_partitioned(x, [&](int e) { return less(e, 3); }); });
    attempt([&] { position(am::is_sorted_until(x, less)); });
    attempt([&] { position(am::min_element(x, less)); });
    attempt([&] { position(am::max_element(x, less)); });
    attempt([&] { position(am::minmax_element(x, less).second); });
    attempt([&] { (void)am::lexicographical_compare(x, y, less); });
  }
};

/// A comparator, over inputs that are not in order.
template <class Less>
void check_all(Less less) {
  dice d(5);
  const auto check = [&](std::size_t n, const am::distribution& how, const am::distribution& out) {
    ordering<Less>{less, d.numbers(n, 6), d.numbers(n / 2 + 1, 6), how, out}.run_all();
  };
  check(1, am::blocks(), am::blocks());
  check(60, am::blocks(), am::blocks());
  check(61, am::cyclic(2), am::cyclic());
  check(4500, am::blocks(), am::blocks());
  check(300, am::blocks(d.sizes(300, am::ranks())), am::blocks(d.sizes(451, am::ranks())));
}

struct by_chance {
  std::mt19937* random;
  bool operator()(int, int) const { return (*random)() % 2 == 0; }
};

/// Any comparator: one type, so that each algorithm is compiled once.
using rule = std::function<bool(int, int)>;

}  // namespace

RANK_TEST(input_that_is_not_in_order_harms_nobody) { check_all(std::less<>{}); }
RANK_TEST(less_equal_harms_nobody) {
  check_all(rule([](int a, int b) { return a <= b; }));
}
RANK_TEST(a_comparator_that_always_says_yes_harms_nobody) {
  check_all(rule([](int, int) { return true; }));
}
RANK_TEST(a_comparator_that_goes_in_a_circle_harms_nobody) {
  check_all(rule([](int a, int b) { return ((b - a) % 3 + 3) % 3 == 1; }));
}
RANK_TEST(a_comparator_that_answers_by_chance_harms_nobody) {
  std::mt19937 random(unsigned(am::rank()) + 1);
  check_all(rule(by_chance{&random}));
}

RANK_TEST(many_elements_are_sorted_by_no_order_at_all) {
  std::mt19937 random(unsigned(am::rank()) + 1);
  dice d(3);
  const numbers a = d.numbers(12'000, 3);
  const auto check = [&](const rule& less) {
    const ordering<rule> of{less, a, a, am::blocks(), am::blocks()};
    of.moves([&](auto& x) { am::sort(x, less); });
    of.moves([&](auto& x) { am::nth_element(x, 100, less); });
  };
  check([](int e, int f) { return e <= f; });
  check([](int, int) { return true; });
  check(by_chance{&random});
  check([&random](int e, int f) { return random() % 37 == 0 ? f < e : e < f; });
}

RANK_TEST(texts_and_numbers_that_are_none_are_sorted_by_no_order_at_all) {
  std::mt19937 random(unsigned(am::rank()) + 1);
  dice d(9);
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) texts.push_back(std::string(20, 'x') + std::to_string(d.below(7)));
  const auto check_texts = [&](const std::function<bool(const std::string&, const std::string&)>& less) {
    auto x = spread(texts, am::blocks());
    attempt([&] { am::sort(x, less); });
    auto now = elements_of(x), before = texts;
    std::ranges::sort(now);
    std::ranges::sort(before);
    EXPECT(now == before);
  };
  check_texts([](const auto& a, const auto& b) { return a <= b; });
  check_texts([](const auto&, const auto&) { return true; });
  check_texts([&](const auto&, const auto&) { return random() % 2 == 0; });

  struct measured {
    double value;
    int number;
  };
  am::vector<measured> values(5000);
  for (std::size_t k = 0; k < values.local().size(); ++k) {
    const auto i = int(values.index_of_local(k));
    values.local()[k] = {i % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : double(i % 17), i};
  }
  am::barrier();
  attempt([&] { am::sort(values, [](const measured& a, const measured& b) { return a.value < b.value; }); });
  std::vector<int> all;
  for (const measured& e : elements_of(values)) all.push_back(e.number);
  std::ranges::sort(all);
  for (int i = 0; i < int(all.size()); ++i) EXPECT_EQ(all[std::size_t(i)], i);
}

RANK_TEST(a_checked_program_names_the_rule_and_two_elements) {
  if (!am::detail::checked) return;
  const auto less_equal = [](int a, int b) { return a <= b; };
  constexpr const char* both = "of 7 and 7 it says that each comes before the other";
  am::vector<int> sevens(100, 7), room(200);
  EXPECT_THROWS_SAYING(am::usage_error, both, am::sort(sevens, less_equal));
  EXPECT_THROWS_SAYING(am::usage_error, "stable_sort: the comparator must be a strict weak order",
                       am::stable_sort(sevens, less_equal));
  EXPECT_THROWS_SAYING(am::usage_error, both, am::nth_element(sevens, 5, less_equal));
  EXPECT_THROWS_SAYING(am::usage_error, both, am::merge(sevens, sevens, room, less_equal));
  EXPECT_THROWS_SAYING(am::usage_error, both, am::set_union(sevens, sevens, room, less_equal));
  EXPECT_THROWS_SAYING(am::usage_error, both, am::min_element(sevens, less_equal));

  am::vector<int> odd(100);
  am::iota(odd, 0);
  am::for_each_index(odd, [](std::size_t i, int& e) { e = i == 70 ? -5 : e; });
  constexpr const char* wrong = "element 69 (69) must not stand before element 70 (-5)";
  EXPECT_THROWS_SAYING(am::usage_error, wrong, am::merge(odd, sevens, room));
  EXPECT_THROWS_SAYING(am::usage_error, "the second range must be in order", am::set_intersection(sevens, odd, room));
  EXPECT_THROWS_SAYING(am::usage_error, wrong, am::includes(odd, sevens));
  EXPECT_THROWS_SAYING(am::usage_error, "lower_bound: elements that are less than the value must come first",
                       am::lower_bound(odd, 50));
  EXPECT_THROWS_SAYING(am::usage_error, wrong, am::upper_bound(odd, 50));
  EXPECT_THROWS_SAYING(am::usage_error, wrong, am::binary_search(odd, 50));
  EXPECT_THROWS_SAYING(am::usage_error, "elements for which the predicate holds must come first",
                       am::partition_point(odd, [](int e) { return e < 50; }));
  const std::vector<std::string> texts(10, "pear");
  auto pears = spread(texts, am::blocks());
  EXPECT_THROWS_SAYING(am::usage_error, "of \"pear\" and \"pear\"", am::sort(pears, std::less_equal<>{}));
}
