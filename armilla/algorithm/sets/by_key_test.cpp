// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "armilla/elementwise.hpp"
#include "armilla/join.hpp"
#include "armilla/vector.hpp"
#include "armilla/views.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {
using entries = std::vector<std::pair<std::string, long>>;
}

RANK_TEST(top_k_gives_the_same_on_every_rank_as_sorting_all_would) {
  am::unordered_map<std::string, long> m;
  entries all;
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    all.emplace_back("key " + std::to_string(i), long(random() % 50));  // many are equal
    if (am::rank() == i % am::ranks()) m.insert(all.back().first, all.back().second);
  }
  am::fence();
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  for (const std::size_t n : {0U, 1U, 10U, 499U, 500U, 1000U}) {
    const entries best = am::top_k(m, n);
    EXPECT(best == entries(all.begin(), all.begin() + std::ptrdiff_t(std::min<std::size_t>(n, all.size()))));
  }
}

RANK_TEST(what_is_counted_by_key_may_be_const_or_a_temporary) {
  const std::vector<std::pair<int, long>> mine = {{am::rank(), 1}, {-1, 2}};
  const auto sums = am::reduce_by_key(mine, std::plus<>{});
  EXPECT_EQ(am::top_k(sums, 1)[0].second, 2L * am::ranks());
  EXPECT_EQ(am::top_k(am::reduce_by_key(mine, std::plus<>{}), 1)[0].first, -1);
  EXPECT_EQ(sums.find(-1).get().value_or(0), 2L * am::ranks());
  EXPECT(sums.contains(am::rank()).get() && sums.count(-1).get() == 1);
  am::barrier();
}

RANK_TEST(top_k_goes_by_any_projection_and_over_any_team) {
  const am::team half = am::world().split(am::rank() % 2);
  am::unordered_map<int, std::string> m(half);
  for (int i = 0; i < 20; ++i) m.insert(i, std::string(std::size_t(i * 7 % 20), 'x'));
  half.fence();
  const auto longest = am::top_k(m, 2, [](const auto& e) { return e.second.size(); });
  EXPECT_EQ(longest.size(), 2U);
  EXPECT_EQ(longest[0].second.size(), 19U);
  EXPECT_EQ(longest[1].second.size(), 18U);
  EXPECT_EQ(am::top_k(m, 1, am::by_key)[0].first, 19);
  am::unordered_set<int> s(half);
  for (int i = 0; i < 20; ++i) s.insert(i);
  half.fence();
  EXPECT_EQ(am::top_k(s, 3, std::identity{}), (std::vector<int>{19, 18, 17}));
}

RANK_TEST(top_k_of_nothing_is_nothing) {
  am::unordered_map<int, int> m;
  EXPECT_EQ(am::top_k(m, 5).size(), 0U);
}

namespace {

using pairs = std::vector<std::pair<std::string, int>>;

/// What rank r brings: some keys come often.
pairs input_of(am::rank_t r, int seed) {
  std::mt19937 random{unsigned(seed * 100 + int(r))};
  pairs all;
  for (int i = 0; i < 300; ++i) all.emplace_back("k" + std::to_string(random() % (1 + random() % 60)), int(random() % 100));
  return all;
}
pairs input_of_all(int seed) {
  pairs all;
  for (am::rank_t r = 0; r < am::ranks(); ++r)
    for (const auto& e : input_of(r, seed)) all.push_back(e);
  return all;
}
template <class Map>
auto all_of(const Map& m) {
  using element = std::pair<typename Map::key_type, typename Map::mapped_type>;
  std::vector<element> mine;
  for (const auto& [k, v] : m.local()) mine.emplace_back(k, v);
  const std::vector<element> all = m.members().all_gather_v(mine);
  return std::map<typename Map::key_type, typename Map::mapped_type>(all.begin(), all.end());
}

}  // namespace

RANK_TEST(keys_are_counted_and_values_combined_as_a_map_would) {
  std::map<std::string, std::int64_t> times;
  std::map<std::string, int> sums;
  for (const auto& [k, v] : input_of_all(1)) ++times[k], sums[k] += v;
  const pairs mine = input_of(am::rank(), 1);
  EXPECT(all_of(am::count_by_key(mine, am::by_key)) == times);
  EXPECT(all_of(am::reduce_by_key(mine, std::plus<>{})) == sums);
}

RANK_TEST(several_aggregates_of_each_key_come_from_one_pass) {
  struct summary {
    long count, sum;
    int least, most;
    bool operator==(const summary&) const = default;
  };
  constexpr auto both = [](const summary& a, const summary& b) {
    return summary{a.count + b.count, a.sum + b.sum, std::min(a.least, b.least), std::max(a.most, b.most)};
  };
  std::map<std::string, summary> expected;
  for (const auto& [k, v] : input_of_all(5)) {
    const summary one{1, v, v, v};
    const auto [at, is_new] = expected.try_emplace(k, one);
    if (!is_new) at->second = both(at->second, one);
  }
  const auto of_one = [](const auto& e) { return summary{1, e.second, e.second, e.second}; };
  EXPECT(all_of(am::reduce_by_key(input_of(am::rank(), 5), both, am::by_key, of_one)) == expected);
}

RANK_TEST(a_container_can_be_the_input) {
  am::unordered_map<int, int> m;
  for (int i = 0; i < 100; ++i) m.insert(i, i % 7);
  am::fence();
  const auto by_rest = am::count_by_key(m, am::by_value);
  EXPECT_EQ(by_rest.size(), 7U);
  for (const auto& [rest, n] : by_rest.local()) EXPECT_EQ(n, rest < 2 ? 15 : 14);
  am::barrier();
}

RANK_TEST(groups_hold_all_values_of_their_key) {
  std::map<std::string, std::vector<int>> expected;
  for (const auto& [k, v] : input_of_all(2)) expected[k].push_back(v);
  auto groups = all_of(am::group_by(input_of(am::rank(), 2)));
  for (auto& [k, values] : groups) std::sort(values.begin(), values.end());
  for (auto& [k, values] : expected) std::sort(values.begin(), values.end());
  EXPECT(groups == expected);
}

RANK_TEST(a_join_has_each_pair_of_elements_with_one_key) {
  using row = std::tuple<std::string, int, int>;
  std::vector<row> expected;
  for (const auto& [k, v] : input_of_all(3))
    for (const auto& [l, w] : input_of_all(4))
      if (k == l) expected.emplace_back(k, v, w);
  std::vector<row> all = am::all_gather_v(am::join(input_of(am::rank(), 3), input_of(am::rank(), 4)));
  std::sort(all.begin(), all.end());
  std::sort(expected.begin(), expected.end());
  EXPECT(all == expected);
}

using numbers = std::vector<std::pair<long, double>>;

numbers numbers_of(am::rank_t r, int seed) {
  std::mt19937 random{unsigned(seed * 100 + int(r))};
  numbers all;
  for (int i = 0; i < 3000; ++i) all.emplace_back(long(random() % 4000), double(random() % 100));
  return all;
}
numbers numbers_of_all(int seed) {
  numbers all;
  for (am::rank_t r = 0; r < am::ranks(); ++r)
    for (const auto& e : numbers_of(r, seed)) all.push_back(e);
  return all;
}
/// What the ranks have, in order.
template <class T>
std::vector<T> sorted_of_all(const std::vector<T>& mine) {
  std::vector<T> all = am::all_gather_v(mine);
  std::sort(all.begin(), all.end());
  return all;
}

RANK_TEST(a_join_of_numbers_goes_by_partitions) {
  std::multimap<long, double> right;
  for (const auto& e : numbers_of_all(6)) right.insert(e);
  std::vector<std::tuple<long, double, double>> expected;
  for (const auto& [k, v] : numbers_of_all(5))
    for (auto [at, end] = right.equal_range(k); at != end; ++at) expected.emplace_back(k, v, at->second);
  std::sort(expected.begin(), expected.end());
  EXPECT(sorted_of_all(am::join(numbers_of(am::rank(), 5), numbers_of(am::rank(), 6))) == expected);
}

RANK_TEST(a_join_takes_values_of_any_type_on_either_side) {
  std::vector<std::pair<long, std::string>> names;
  if (am::rank() == 0) names = {{1, "one"}, {2, "two"}, {2, "zwei"}};
  numbers values;
  if (am::rank() == am::ranks() - 1) values = {{2, 0.5}, {3, 1.5}};
  const std::vector<std::tuple<long, std::string, double>> expected = {{2, "two", 0.5}, {2, "zwei", 0.5}};
  EXPECT(sorted_of_all(am::join(names, values)) == expected);
  const std::vector<std::tuple<long, double, std::string>> turned = {{2, 0.5, "two"}, {2, 0.5, "zwei"}};
  EXPECT(sorted_of_all(am::join(values, names)) == turned);
}

RANK_TEST(a_join_with_nothing_is_nothing) {
  EXPECT(am::join(numbers(), numbers_of(am::rank(), 5)).empty());
  EXPECT(am::join(numbers_of(am::rank(), 5), numbers()).empty());
  EXPECT(am::semi_join(numbers_of(am::rank(), 5), numbers()).empty());
}

template <class Pairs>
void split_by(const Pairs& left, const Pairs& right, const Pairs& mine, const Pairs& others) {
  std::map<typename Pairs::value_type::first_type, int> there;
  for (const auto& [k, v] : right) there[k] = 1;
  Pairs with, without;
  for (const auto& e : left) (there.contains(e.first) ? with : without).push_back(e);
  std::sort(with.begin(), with.end());
  std::sort(without.begin(), without.end());
  EXPECT(sorted_of_all(am::semi_join(mine, others)) == with);
  EXPECT(sorted_of_all(am::anti_join(mine, others)) == without);
}
RANK_TEST(semi_and_anti_joins_part_the_elements_by_whether_the_other_input_has_their_key) {
  split_by(numbers_of_all(7), numbers_of_all(8), numbers_of(am::rank(), 7), numbers_of(am::rank(), 8));
  split_by(input_of_all(7), input_of_all(8), input_of(am::rank(), 7), input_of(am::rank(), 8));
}

RANK_TEST(what_a_projection_throws_on_one_rank_comes_on_all) {
  const std::vector<std::pair<int, int>> mine(10, {1, 2});
  const auto bad = [](const std::pair<int, int>& p) {
    if (am::rank() == am::ranks() - 1) throw std::domain_error("no such key");
    return p.first;
  };
  EXPECT_THROWS_SAYING(am::remote_error, "no such key", static_cast<void>(am::count_by_key(mine, bad)));
  EXPECT_THROWS_SAYING(am::remote_error, "no such key", static_cast<void>(am::reduce_by_key(mine, std::plus<>{}, bad)));
  EXPECT_THROWS_SAYING(am::remote_error, "no such key", static_cast<void>(am::group_by(mine, bad)));
  EXPECT_THROWS_SAYING(am::remote_error, "no such key", static_cast<void>(am::unique_by_key(mine, bad)));
  EXPECT_EQ(am::count_by_key(mine, [](const auto& p) { return p.first; }).find(1).get(), 10 * am::ranks());
}

RANK_TEST(what_an_input_of_a_join_throws_on_one_rank_comes_on_all) {
  const std::vector<int> all = {1, 2, 3};
  const auto broken = all | std::views::transform([](int i) {
                        if (am::rank() == 0 && i == 3) throw std::runtime_error("no third");
                        return std::pair<long, double>(i, 1);
                      });
  EXPECT_THROWS_SAYING(am::remote_error, "no third", static_cast<void>(am::join(broken, numbers())));
  EXPECT(am::join(numbers(), numbers()).empty());
}

namespace {

struct order {
  long customer = 0;
  double sum = 0;
  friend auto operator<=>(const order&, const order&) = default;
};
struct customer {
  long number = 0;
  std::string name;
  friend auto operator<=>(const customer&, const customer&) = default;
};

}  // namespace

// Keys 0 to 9 are those of customers, 5 to 14 those of orders; each rank brings some of both.
RANK_TEST(joins_take_the_keys_that_projections_give) {
  std::vector<order> orders;
  std::vector<customer> customers;
  for (long k = 0; k < 10; ++k) {
    if (k % am::ranks() == am::rank()) customers.push_back({k, "customer " + std::to_string(k)});
    if ((k + 1) % am::ranks() == am::rank()) orders.push_back({k + 5, double(k)}), orders.push_back({k + 5, double(k) + 0.5});
  }
  const auto key_of_order = [](const order& o) { return o.customer; };
  auto inner = am::all_gather_v(am::join(orders, customers, key_of_order, &customer::number));
  std::ranges::sort(inner);
  EXPECT_EQ(inner.size(), 10U);
  for (const auto& [key, o, c] : inner)
    EXPECT(key >= 5 && key < 10 && o.customer == key && c.name == "customer " + std::to_string(key));

  auto left = am::all_gather_v(am::left_join(orders, customers, &order::customer, &customer::number));
  std::ranges::sort(left);
  EXPECT_EQ(left.size(), 20U);
  for (const auto& [key, o, c] : left) EXPECT(o.customer == key && c.has_value() == (key < 10));

  auto semi = am::all_gather_v(am::semi_join(customers, orders, &customer::number, &order::customer));
  auto anti = am::all_gather_v(am::anti_join(customers, orders, &customer::number, &order::customer));
  std::ranges::sort(semi), std::ranges::sort(anti);
  EXPECT_EQ(semi.size(), 5U);
  EXPECT_EQ(anti.size(), 5U);
  EXPECT(semi.front() == (customer{5, "customer 5"}) && anti.back() == (customer{4, "customer 4"}));

  std::vector<std::pair<int, float>> a{{int(am::rank()), 1.0F}}, b{{0, 2.0F}};
  if (am::rank() != 0) b.clear();
  EXPECT_EQ(am::all_reduce(am::left_join(a, b).size(), std::plus<>{}), std::size_t(am::ranks()));
}

RANK_TEST(projections_that_throw_are_an_error_of_all_members) {
  std::vector<order> orders(am::rank() == am::ranks() - 1 ? 1 : 0);
  const auto throws = [](const order&) -> long { throw std::domain_error("no key"); };
  EXPECT_THROWS_SAYING(am::remote_error, "no key", am::join(orders, orders, throws, &order::customer));
  EXPECT_THROWS_SAYING(am::remote_error, "no key", am::anti_join(orders, orders, &order::customer, throws));
  long order::* const none = nullptr;
  EXPECT_THROWS(am::usage_error, am::left_join(orders, orders, none, &order::customer));
}

// Views as inputs: a transformed and filtered vector, elements of which lie on other ranks, a part of one.
RANK_TEST(algorithms_by_key_take_views) {
  namespace v = am::views;
  am::vector<int> x(100), y(100, am::cyclic());
  am::for_each_index(x, [](std::size_t i, int& e) { e = int(i); });
  am::for_each_index(y, [](std::size_t i, int& e) { e = int(i) * 2; });
  const auto count = am::count_by_key(x | v::filter([](int e) { return e < 50; }) | v::transform([](int e) { return e % 5; }));
  EXPECT_EQ(count.size(), 5U);
  EXPECT(count.find(3).get() == 10);
  const auto sums = am::reduce_by_key(v::zip(x, std::as_const(y)) | v::take(10), std::plus<>{});
  EXPECT_EQ(sums.size(), 10U);
  EXPECT(sums.find(7).get() == 14);
  const auto groups = am::group_by(v::slice(y, 10, 20), [](int e) { return e / 10; }, std::identity{});
  EXPECT_EQ(groups.find(2).get()->size(), 5U);
  const auto joined = am::all_gather_v(am::join(
      v::zip(x, std::as_const(y)), v::enumerate(y) | v::transform([](std::size_t i, int e) { return std::pair(int(i), e); })));
  EXPECT_EQ(joined.size(), 100U);
  am::barrier();
}

namespace {

/// Groups of numbers are those of the standard's map.
void expect_groups(const std::vector<std::pair<std::uint64_t, std::uint32_t>>& mine) {
  std::map<std::uint64_t, std::vector<std::uint32_t>> expected;
  for (const auto& [k, v] : am::all_gather_v(mine)) expected[k].push_back(v);
  const auto groups = am::group_by(mine);
  EXPECT_EQ(groups.size(), expected.size());
  auto all = all_of(groups);
  for (auto& [k, values] : all) std::sort(values.begin(), values.end());
  for (auto& [k, values] : expected) std::sort(values.begin(), values.end());
  EXPECT(all == expected);
  for (const auto& [k, values] : groups.local()) EXPECT(groups.rank_of(k) == am::rank() && values.capacity() == values.size());
}

}  // namespace

// Of many partitions, some of which have no key; one key; half of the values have one; all keys are different.
RANK_TEST(groups_of_numbers_hold_all_values_of_their_key) {
  std::mt19937_64 random(std::uint64_t(am::rank()) + 1);
  for (const std::uint64_t keys : {1U, 7U, 3000U, 4'000'000'000U}) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> mine(keys == 7 ? 100 : 60'000);
    for (auto& [k, v] : mine) k = random() % keys * 0x10001, v = std::uint32_t(random());
    expect_groups(mine);
    for (std::size_t i = 0; i < mine.size() / 2; ++i) mine[i].first = 5;
    expect_groups(mine);
  }
  expect_groups({});
  std::vector<std::pair<std::uint64_t, std::uint32_t>> of_one;
  if (am::rank() == am::ranks() - 1) of_one = {{1, 2}, {1, 3}, {2, 4}};
  expect_groups(of_one);
}

// In one input all values wait for others with their key; in the other most keys come once, so that no value waits.
RANK_TEST(groups_of_strings_hold_all_values_however_often_keys_come) {
  constexpr std::uint32_t n = 70'000;
  for (const std::uint32_t keys : {50U, 1'000'000U}) {
    const auto key_of = [keys](std::uint32_t value) { return "key " + std::to_string(value * 2654435761U % keys); };
    std::vector<std::pair<std::string, std::uint32_t>> mine;
    for (std::uint32_t v = n * std::uint32_t(am::rank()), end = v + n; v < end; ++v) mine.emplace_back(key_of(v), v);
    const auto groups = am::group_by(mine, [](const auto& e) { return std::string_view(e.first); }, am::by_value);
    std::uint64_t found = 0, sum = 0, wrong = 0;
    for (const auto& [k, values] : groups.local())
      for (const std::uint32_t v : values) ++found, sum += v, wrong += std::uint64_t(key_of(v) != k);
    const std::uint64_t all = std::uint64_t(n) * std::uint64_t(am::ranks());
    EXPECT_EQ(am::all_reduce(found, std::plus<>{}), all);
    EXPECT_EQ(am::all_reduce(sum, std::plus<>{}), all * (all - 1) / 2);
    EXPECT_EQ(wrong, 0U);
  }
}

RANK_TEST(a_map_of_groups_takes_more_values) {
  auto groups = am::group_by(numbers_of(am::rank(), 10));
  const std::size_t before = groups.size();
  if (am::rank() == 0) groups.append(-7, 1.5), groups.append(-7, 2.5);
  am::fence();
  EXPECT_EQ(groups.size(), before + 1);
  EXPECT_EQ(groups.find(-7).get()->size(), 2U);
  am::barrier();
}

RANK_TEST(of_a_keys_elements_one_is_kept) {
  std::map<long, std::vector<double>> possible;
  for (const auto& [k, v] : numbers_of_all(9)) possible[k].push_back(v);
  const auto kept = all_of(am::unique_by_key(numbers_of(am::rank(), 9)));
  EXPECT_EQ(kept.size(), possible.size());
  for (const auto& [k, v] : kept) EXPECT(std::find(possible[k].begin(), possible[k].end(), v) != possible[k].end());
}
