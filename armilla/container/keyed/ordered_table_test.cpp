// SPDX-License-Identifier: Apache-2.0
// The tree of one rank against std::map and std::set.
#include "armilla/container/keyed/ordered_table.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace {

using number = std::uint64_t;
template <class K, class V, class Less = std::less<>>
using table = armilla::detail::ordered_table<K, V, Less>;

struct no_hash {};

template <class Table, class K, class V>
void put(Table& t, const K& key, V value) {
  t.template obtain<no_hash>(key, 0, [&] { return value; });
}
std::string text_of(number n) { return std::string(n % 40, 'k') + std::to_string(n); }

template <class T, class Oracle>
bool same(const T& t, const Oracle& oracle) {
  return t.size() == oracle.size() && std::equal(t.begin(), t.end(), oracle.begin(), oracle.end());
}

}  // namespace

TEST(ordered_table, random_insertions_and_erasures_leave_what_the_standards_map_would_hold) {
  for (const number range : {30U, 3000U, 300000U}) {
    std::mt19937_64 random(range);
    table<number, number> t;
    std::map<number, number> oracle;
    for (int round = 0; round < 4; ++round) {
      for (int i = 0; i < 20000; ++i) {
        const number key = random() % range, value = random();
        if (round % 2 == 0 ? random() % 4 != 0 : random() % 4 == 0) {
          put(t, key, value);
          oracle.try_emplace(key, value);
        } else {
          EXPECT_EQ(t.erase(key), oracle.erase(key) != 0);
        }
        if (i % 64 == 0) {
          const auto* const there = t.find(key);
          EXPECT_EQ(there != nullptr, oracle.count(key) != 0);
        }
      }
      EXPECT_TRUE(same(t, oracle));
    }
    for (const auto& each : std::map(oracle)) EXPECT_TRUE(t.erase(each.first));
    EXPECT_TRUE(t.empty());
    EXPECT_TRUE(t.begin() == t.end());
    put(t, 1, 2);
    EXPECT_EQ(t.begin()->second, 2U);
  }
}

TEST(ordered_table, texts_are_keys_and_values_found_by_views) {
  std::mt19937_64 random(1);
  table<std::string, std::string> t;
  std::map<std::string, std::string> oracle;
  for (int i = 0; i < 30000; ++i) {
    const std::string key = text_of(random() % 4000), value = text_of(random() % 100);
    if (random() % 3 != 0) {
      put(t, std::string_view(key), value);
      oracle.try_emplace(key, value);
    } else {
      EXPECT_EQ(t.erase(std::string_view(key)), oracle.erase(key) != 0);
    }
  }
  EXPECT_TRUE(same(t, oracle));
  EXPECT_EQ(t.find(std::string_view("no such key")), nullptr);
}

TEST(ordered_table, keys_that_come_in_order_and_against_it) {
  table<int, void> up;
  table<int, void, std::greater<>> down;
  std::set<int> oracle;
  for (int i = 0; i < 50000; ++i) {
    up.obtain<no_hash>(i, 0, [] { return 0; });
    down.obtain<no_hash>(i, 0, [] { return 0; });
    oracle.insert(i);
  }
  EXPECT_TRUE(same(up, oracle));
  EXPECT_TRUE(std::equal(down.begin(), down.end(), oracle.rbegin(), oracle.rend()));
  for (int i = 0; i < 50000; ++i) EXPECT_TRUE(up.erase(i));
  EXPECT_TRUE(up.empty());
}

TEST(ordered_table, bounds_and_positions) {
  std::mt19937_64 random(3);
  table<number, void> t;
  std::set<number> oracle;
  EXPECT_TRUE(t.lower(number(3)) == t.end());
  for (int i = 0; i < 2000; ++i) {
    const number key = random() % 10000;
    t.obtain<no_hash>(key, 0, [] { return 0; });
    oracle.insert(key);
  }
  for (number key = 0; key < 10010; key += 3) {
    const auto low = oracle.lower_bound(key), up = oracle.upper_bound(key);
    EXPECT_EQ(t.lower(key) == t.end(), low == oracle.end());
    EXPECT_EQ(t.upper(key) == t.end(), up == oracle.end());
    if (low != oracle.end()) { EXPECT_EQ(*t.lower(key), *low); }
    if (up != oracle.end()) { EXPECT_EQ(*t.upper(key), *up); }
  }
  std::size_t i = 0;
  for (const number key : oracle) EXPECT_EQ(*t.nth(i++), key);
  EXPECT_TRUE(t.nth(i) == t.end());
}

TEST(ordered_table, a_value_that_cannot_be_made_changes_nothing) {
  table<std::string, std::string> t;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_ANY_THROW(t.obtain<no_hash>(text_of(number(i)), 0, []() -> std::string { throw std::runtime_error("no"); }));
    EXPECT_EQ(t.size(), std::size_t(i));
    put(t, text_of(number(i)), std::string("yes"));
  }
  EXPECT_EQ(std::distance(t.begin(), t.end()), 1000);
}
