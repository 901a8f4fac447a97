// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/keyed/combiner.hpp"

#include <cstdint>

#include <gtest/gtest.h>

#include "armilla/hash.hpp"

namespace {

using number = std::uint64_t;
using combiner = armilla::detail::combiner<number, number>;
using outcome = combiner::outcome;

/// An update of `key` by 1, as a container makes it. Counts what leaves.
outcome update(combiner& c, number key, number& leaves) {
  const number hash = armilla::hash{}(key);
  auto& at = c.number(c.number_of(hash));
  outcome what = outcome::met;
  if (at.used && at.key == key) {
    ++at.value;
    c.strengthen(at);
  } else if (at.used && c.resists(at)) {
    ++leaves;
    what = outcome::displaced;
  } else {
    what = at.used ? outcome::displaced : outcome::alone;
    if (at.used) {
      leaves += at.value;
      c.free(at);
    }
    at.key = key;
    at.value = 1;
    c.fill(at, hash);
  }
  if (c.judge(what))
    for (std::size_t i = 0; i < c.size(); ++i)
      if (c.number(i).used) {
        leaves += c.number(i).value;
        c.free(c.number(i));
      }
  return what;
}
/// What is still in its places.
number kept(combiner& c) {
  number sum = 0;
  for (std::size_t i = 0; i < c.size(); ++i) sum += c.number(i).used ? c.number(i).value : 0;
  return sum;
}
/// Another key of the same place.
number rival_of(const combiner& c, number key) {
  const auto place = [&](number k) { return c.number_of(armilla::hash{}(k)); };
  number rival = key + 1;
  while (place(rival) != place(key)) ++rival;
  return rival;
}

}  // namespace

TEST(combiner, a_key_that_comes_often_keeps_its_place) {
  combiner c(64);
  number leaves = 0;
  const number often = 1, once = rival_of(c, often);
  for (int i = 0; i < 3; ++i) update(c, often, leaves);
  EXPECT_EQ(update(c, once, leaves), outcome::displaced);
  EXPECT_EQ(update(c, often, leaves), outcome::met);
  EXPECT_EQ(leaves, 1U);  // the rival's own
}

TEST(combiner, a_key_that_comes_no_more_loses_its_place) {
  combiner c(64);
  number leaves = 0;
  const number old = 1, fresh = rival_of(c, old);
  for (int i = 0; i < 100; ++i) update(c, old, leaves);
  int tries = 0;
  while (update(c, fresh, leaves) != outcome::met) ++tries;
  EXPECT_LT(tries, 6);
  EXPECT_EQ(leaves + kept(c), 100U + number(tries) + 1);
}

TEST(combiner, it_grows_while_keys_are_in_each_others_way_and_loses_none) {
  combiner c(8192);
  number leaves = 0, updates = 0;
  EXPECT_LT(c.size(), 8192U);
  for (int round = 0; round < 10; ++round)
    for (number key = 0; key < 3000; ++key, ++updates) {
      update(c, key, leaves);
      if (key % 100 == 0) { ASSERT_EQ(leaves + kept(c), updates + 1); }
    }
  EXPECT_EQ(c.size(), 8192U);
  EXPECT_TRUE(c.on());
}

TEST(combiner, it_stays_small_for_few_keys) {
  combiner c(8192);
  number leaves = 0;
  for (number i = 0; i < 100'000; ++i) update(c, i % 40, leaves);
  EXPECT_LE(c.size(), 512U);
}

TEST(combiner, keys_that_come_once_switch_it_off_for_a_while) {
  combiner c(1024);
  number leaves = 0, key = 0, seen = 0, on = 0;
  for (; seen < 1'000'000; ++seen)
    if (c.on()) {
      ++on;
      update(c, key++, leaves);
    }
  EXPECT_LT(on, seen / 16);
  EXPECT_GT(on, 2 * 2 * 1024U);  // it looks again
}

// Half of the updates are of a few keys that come again and again, half of keys that never do.
TEST(combiner, what_comes_once_does_not_switch_it_off_while_much_meets) {
  combiner c(1024);
  number leaves = 0;
  for (number i = 0; i < 1'000'000; ++i) {
    ASSERT_TRUE(c.on());
    update(c, i % 2 == 0 ? i / 2 % 300 : i + 1000, leaves);
  }
  EXPECT_LT(leaves, 700'000U);
}
