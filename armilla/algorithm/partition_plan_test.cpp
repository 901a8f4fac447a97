// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/partition_plan.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

// All elements in order are their own sample, so that each border must lie in the bucket which says so.
void check_borders(std::vector<int> elements, const std::vector<std::size_t>& wanted) {
  std::ranges::sort(elements);
  const partition_plan<int> plan(elements, wanted, elements.size(), std::less<>{});
  std::size_t border = 0;
  for (std::size_t g = 0; g < plan.groups(); ++g) {
    ASSERT_EQ(plan.first_border(g), border);
    for (; border < plan.end_border(g); ++border) {
      const std::size_t behind = std::min(wanted[border], elements.size() - 1);
      const std::size_t before = std::max<std::size_t>(wanted[border], 1) - 1;
      if (behind == wanted[border]) { ASSERT_EQ(plan.bucket_of(elements[behind], std::less<>{}), 2 * g + 1); }
      ASSERT_LE(plan.bucket_of(elements[before], std::less<>{}), 2 * g + 1);
    }
  }
  EXPECT_EQ(border, wanted.size());
  std::size_t last = 0;
  for (const int e : elements) {
    const std::size_t bucket = plan.bucket_of(e, std::less<>{});
    ASSERT_GE(bucket, last);
    ASSERT_LT(bucket, plan.buckets());
    last = bucket;
  }
}

TEST(partition_plan, a_border_lies_in_its_bucket_and_buckets_are_in_order) {
  std::minstd_rand random(1);
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 1 + random() % 3000, members = 2 + random() % 15;
    const int values = int(1 + random() % (round % 2 != 0 ? 5 : 100'000));
    std::vector<int> elements(n);
    for (int& e : elements) e = int(random() % unsigned(values));
    std::vector<std::size_t> wanted;
    for (std::size_t k = 1; k < members; ++k) wanted.push_back(round % 3 != 0 ? n * k / members : random() % (n + 1));
    std::ranges::sort(wanted);
    check_borders(elements, wanted);
  }
}

TEST(partition_plan, members_of_few_elements_each_share_one_bucket) {
  std::vector<int> elements(20);
  std::iota(elements.begin(), elements.end(), 0);
  const std::vector<std::size_t> wanted{5, 10, 15};
  const partition_plan<int> plan(elements, wanted, elements.size(), std::less<>{});
  EXPECT_EQ(plan.groups(), 1U);
  for (const int e : elements) EXPECT_EQ(plan.bucket_of(e, std::less<>{}), 1U);
}

TEST(partition_plan, many_elements_have_most_outside_of_buckets_with_borders) {
  std::vector<int> elements(10'000);
  std::iota(elements.begin(), elements.end(), 0);
  const std::vector<std::size_t> wanted{2500, 5000, 7500};
  const partition_plan<int> plan(elements, wanted, elements.size(), std::less<>{});
  ASSERT_EQ(plan.buckets(), 7U);
  EXPECT_EQ(plan.bucket_of(0, std::less<>{}), 0U);
  EXPECT_EQ(plan.bucket_of(2500, std::less<>{}), 1U);
  EXPECT_EQ(plan.bucket_of(3750, std::less<>{}), 2U);
  EXPECT_EQ(plan.bucket_of(7500, std::less<>{}), 5U);
  EXPECT_EQ(plan.bucket_of(9999, std::less<>{}), 6U);
}

TEST(partition_plan, without_a_sample_all_is_one_bucket) {
  const partition_plan<int> plan(3);
  EXPECT_EQ(plan.buckets(), 3U);
  EXPECT_EQ(plan.end_border(0), 3U);
  EXPECT_EQ(plan.bucket_of(7, std::less<>{}), 1U);
}

}  // namespace
}  // namespace armilla::detail
