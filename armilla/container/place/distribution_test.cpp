// SPDX-License-Identifier: Apache-2.0
#include "armilla/distribution.hpp"

#include <random>

#include <gtest/gtest.h>

#include "armilla/error.hpp"

namespace armilla {
namespace {

// What the functions of a placement say of each element is one and the same.
void expect_consistent(const placement& p) {
  std::vector<std::size_t> seen(std::size_t(p.members()), 0);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const rank_t m = p.member_of(i);
    ASSERT_GE(m, 0);
    ASSERT_LT(m, p.members());
    ASSERT_EQ(p.place_of(i), seen[std::size_t(m)]++) << "elements lie in the order of their indices, " << i;
    ASSERT_EQ(p.index_of(m, p.place_of(i)), i);
    const auto run = p.run_at(i);
    ASSERT_EQ(run.member, m);
    ASSERT_LE(run.begin, i);
    ASSERT_GT(run.end, i);
    ASSERT_LE(run.end, p.size());
    ASSERT_EQ(p.member_of(run.begin), m);
    ASSERT_EQ(p.member_of(run.end - 1), m);
    ASSERT_EQ(p.place_of(run.end - 1) - p.place_of(run.begin), run.end - 1 - run.begin);
  }
  for (rank_t m = 0; m < p.members(); ++m) {
    ASSERT_EQ(p.count(m), seen[std::size_t(m)]);
    for (std::size_t i = 0; i <= p.size(); ++i) {
      std::size_t next = i;
      while (next < p.size() && p.member_of(next) != m) ++next;
      ASSERT_EQ(p.next_on(m, i), next);
    }
  }
}

TEST(placement, blocks_of_one_size) {
  for (const rank_t p : {1, 2, 3, 5, 8})
    for (const std::size_t n : {0, 1, 2, 3, 7, 8, 9, 64, 101}) expect_consistent(placement(n, p, blocks()));
}

TEST(placement, blocks_dealt_in_turn) {
  for (const rank_t p : {1, 2, 3, 5})
    for (const std::size_t n : {0, 1, 5, 17, 64})
      for (const std::size_t b : {1, 2, 3, 8, 100}) expect_consistent(placement(n, p, cyclic(b)));
}

TEST(placement, blocks_of_given_sizes) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<std::size_t> sizes(1 + random() % 6);
    for (auto& s : sizes) s = random() % 3 == 0 ? 0 : random() % 9;
    expect_consistent(placement(sizes));
  }
}

TEST(placement, sizes_of_even_blocks_are_even_blocks) {
  EXPECT_EQ(placement({3, 3, 2}), placement(8, 3, blocks()));
  expect_consistent(placement({3, 3, 2}));
  expect_consistent(placement({3, 3, 0, 0}));
  EXPECT_NE(placement({2, 3, 3}), placement(8, 3, blocks()));
}

TEST(placement, linear_says_whether_members_follow_each_other) {
  EXPECT_TRUE(placement(100, 4, blocks()).linear());
  EXPECT_FALSE(placement(100, 4, cyclic(2)).linear());
  EXPECT_TRUE(placement(8, 4, cyclic(2)).linear());
  EXPECT_TRUE(placement({0, 5, 1}).linear());
}

TEST(placement, blocks_that_are_longer_than_all_are_one) {
  expect_consistent(placement(10, 4, cyclic(~std::size_t{0})));
  expect_consistent(placement(10, 3, cyclic(std::size_t{1} << 63)));
}

TEST(placement, a_size_that_no_memory_has_is_refused) {
  EXPECT_THROW(placement(~std::size_t{0}, 2, blocks()), limit_error);
  EXPECT_THROW(placement(std::size_t(-5), 4, cyclic(2)), limit_error);
}

TEST(placement, another_size_keeps_the_way_of_dealing) {
  EXPECT_EQ(placement(10, 3, cyclic(2)).resized(20), placement(20, 3, cyclic(2)));
  EXPECT_EQ(placement({0, 5, 1}).resized(12), placement(12, 3, blocks()));
}

}  // namespace
}  // namespace armilla
