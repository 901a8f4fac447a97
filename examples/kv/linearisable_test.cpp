// SPDX-License-Identifier: Apache-2.0
#include "examples/kv/linearisable.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace kv {
namespace {

using kind = operation::kind;
constexpr std::uint64_t never = operation::never;
constexpr content nothing;

operation get(std::uint64_t begin, std::uint64_t end, content found, long key = 0) {
  return {kind::get, key, {}, {}, found, begin, end};
}
operation put(std::uint64_t begin, std::uint64_t end, long written, long key = 0) {
  return {kind::put, key, written, {}, {}, begin, end};
}
operation exchange(std::uint64_t begin, std::uint64_t end, content expected, long written, content found) {
  return {kind::exchange, 0, written, expected, found, begin, end};
}

bool explained(const std::vector<operation>& history) { return !first_unexplained(history); }

TEST(linearisable, a_key_holds_nothing_at_first) {
  EXPECT_TRUE(explained({}));
  EXPECT_TRUE(explained({get(1, 2, nothing), put(3, 4, 1), get(5, 6, 1)}));
  EXPECT_FALSE(explained({get(1, 2, 1), put(3, 4, 1)}));
}

TEST(linearisable, operations_at_the_same_time_happen_in_any_order) {
  EXPECT_TRUE(explained({put(1, 9, 1), get(2, 3, nothing), get(4, 5, 1)}));
  EXPECT_TRUE(explained({put(1, 9, 1), put(2, 8, 2), get(10, 11, 1)}));
  EXPECT_TRUE(explained({put(1, 9, 1), put(2, 8, 2), get(10, 11, 2)}));
  EXPECT_FALSE(explained({put(1, 9, 1), put(2, 8, 2), get(10, 11, 1), get(12, 13, 2)}));
}

TEST(linearisable, an_acknowledged_write_is_not_lost) {
  EXPECT_FALSE(explained({put(1, 2, 1), get(3, 4, nothing)}));
  EXPECT_FALSE(explained({put(1, 2, 1), put(3, 4, 2), get(5, 6, 1)}));
}

TEST(linearisable, what_was_read_is_not_lost) {
  EXPECT_FALSE(explained({put(1, 9, 1), get(2, 3, 1), get(4, 5, nothing)}));
  EXPECT_FALSE(explained({put(1, never, 1), get(2, 3, 1), get(4, 5, nothing)}));
}

TEST(linearisable, a_write_of_unknown_end_happens_late_or_never_but_once) {
  EXPECT_TRUE(explained({put(1, never, 1), get(2, 3, nothing)}));
  EXPECT_TRUE(explained({put(1, never, 1), get(2, 3, nothing), put(4, 5, 2), get(6, 7, 2), get(8, 9, 1)}));
  EXPECT_FALSE(explained({put(1, never, 1), get(2, 3, 1), put(4, 5, 2), get(6, 7, 2), get(8, 9, 1)}));
  EXPECT_FALSE(explained({get(1, 2, 1), put(3, never, 1)}));
}

TEST(linearisable, an_exchange_writes_where_it_finds_what_it_expects) {
  EXPECT_TRUE(explained({exchange(1, 2, nothing, 1, nothing), exchange(3, 4, 1, 2, 1), get(5, 6, 2)}));
  EXPECT_TRUE(explained({put(1, 2, 7), exchange(3, 4, nothing, 1, 7), get(5, 6, 7)}));
  EXPECT_FALSE(explained({put(1, 2, 7), exchange(3, 4, nothing, 1, 7), get(5, 6, 1)}));
  EXPECT_FALSE(explained({exchange(1, 9, nothing, 1, nothing), exchange(2, 8, nothing, 2, nothing)}));
  EXPECT_TRUE(explained({exchange(1, 9, nothing, 1, nothing), exchange(2, 8, nothing, 2, 1)}));
}

TEST(linearisable, an_exchange_of_unknown_end_writes_where_it_finds_what_it_expects) {
  EXPECT_TRUE(explained({put(1, 2, 7), exchange(3, never, 7, 1, nothing), get(5, 6, 7), get(7, 8, 1)}));
  EXPECT_FALSE(explained({put(1, 2, 7), exchange(3, never, 8, 1, nothing), get(5, 6, 1)}));
  EXPECT_TRUE(explained({put(1, never, 7), exchange(3, never, 7, 1, nothing), get(5, 6, 1)}));
}

TEST(linearisable, keys_have_histories_of_their_own) {
  EXPECT_TRUE(explained({put(1, 2, 1, 5), get(3, 4, nothing, 6), get(3, 4, 1, 5)}));
  EXPECT_FALSE(explained({put(1, 2, 1, 5), get(3, 4, 1, 6)}));
  const auto found = first_unexplained({put(1, 2, 1, 5), put(1, 2, 2, 6), get(3, 4, nothing, 6)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->key, 6);
  EXPECT_EQ(found->begin, 3u);
}

// Clients of one register that happen one after the other, each somewhere in an interval that overlaps others.
std::vector<operation> random_history(std::mt19937& dice, int length) {
  std::vector<operation> all;
  content held;
  for (int n = 1; n <= length; ++n) {
    const std::uint64_t now = 100 + 10 * std::uint64_t(n), begin = now - dice() % 30, end = now + dice() % 30;
    const auto what = kind(dice() % 3);
    const content before = held, expected = dice() % 2 != 0 ? held : content(-1);
    if (what == kind::put || (what == kind::exchange && expected == held)) held = n;
    all.push_back({what, 0, n, expected, what == kind::put ? nothing : before, begin, dice() % 8 == 0 ? never : end});
  }
  return all;
}

TEST(linearisable, random_histories_are_explained_and_with_a_read_of_the_past_they_are_not) {
  std::mt19937 dice(1);
  for (int i = 0; i < 300; ++i) {
    std::vector<operation> history = random_history(dice, 200);
    EXPECT_TRUE(explained(history)) << i;
    history.push_back(put(5000, 5001, 1000));
    history.push_back(get(5002, 5003, nothing));
    EXPECT_FALSE(explained(history)) << i;
  }
}

TEST(linearisable, many_at_a_time_are_followed) {
  std::vector<operation> history;
  for (int round = 0; round < 20; ++round)
    for (int i = 0; i < 8; ++i) {
      const auto begin = std::uint64_t(100 * round + i);
      history.push_back(put(begin, begin + 80, 10 * round + i));
      history.push_back(get(begin, begin + 80, 10 * round + 7 - i));
    }
  EXPECT_TRUE(explained(history));
}

}  // namespace
}  // namespace kv
