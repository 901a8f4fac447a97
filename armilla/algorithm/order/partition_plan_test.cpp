// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/order/partition_plan.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

struct plan {
  plan(const std::vector<int>& sample, const std::vector<std::size_t>& wanted)
      : groups(sample.data(), sample.size(), sizeof(int), wanted, sample.size(), {&less, comes_first_erased<int, std::less<>>}),
        of(groups, sample.data()) {}
  explicit plan(std::size_t borders) : groups(borders), of(groups, nullptr) {}
  std::size_t bucket_of(int e) const { return of.bucket_of(e, less); }

  std::less<> less;
  border_groups groups;
  partition_plan<int> of;
};

// All elements in order are their own sample, so that each border must lie in the bucket which says so.
void check_borders(std::vector<int> elements, const std::vector<std::size_t>& wanted) {
  std::ranges::sort(elements);
  const plan p(elements, wanted);
  std::size_t border = 0;
  for (std::size_t g = 0; g < p.groups.size(); ++g) {
    ASSERT_EQ(p.groups[g].begin, border);
    for (; border < p.groups[g].end; ++border) {
      const std::size_t behind = std::min(wanted[border], elements.size() - 1);
      const std::size_t before = std::max<std::size_t>(wanted[border], 1) - 1;
      if (behind == wanted[border]) { ASSERT_EQ(p.bucket_of(elements[behind]), 2 * g + 1); }
      ASSERT_LE(p.bucket_of(elements[before]), 2 * g + 1);
    }
  }
  EXPECT_EQ(border, wanted.size());
  std::size_t last = 0;
  for (const int e : elements) {
    const std::size_t bucket = p.bucket_of(e);
    ASSERT_GE(bucket, last);
    ASSERT_LT(bucket, p.groups.buckets());
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
  const plan p(elements, wanted);
  EXPECT_EQ(p.groups.size(), 1U);
  for (const int e : elements) EXPECT_EQ(p.bucket_of(e), 1U);
}

TEST(partition_plan, many_elements_have_most_outside_of_buckets_with_borders) {
  std::vector<int> elements(10'000);
  std::iota(elements.begin(), elements.end(), 0);
  const std::vector<std::size_t> wanted{2500, 5000, 7500};
  const plan p(elements, wanted);
  ASSERT_EQ(p.groups.buckets(), 7U);
  EXPECT_EQ(p.bucket_of(0), 0U);
  EXPECT_EQ(p.bucket_of(2500), 1U);
  EXPECT_EQ(p.bucket_of(3750), 2U);
  EXPECT_EQ(p.bucket_of(7500), 5U);
  EXPECT_EQ(p.bucket_of(9999), 6U);
}

TEST(partition_plan, without_a_sample_all_is_one_bucket) {
  const plan p(3);
  EXPECT_EQ(p.groups.buckets(), 3U);
  EXPECT_EQ(p.groups[0].end, 3U);
  EXPECT_EQ(p.bucket_of(7), 1U);
}

}  // namespace
}  // namespace armilla::detail
