// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/local_ranks.hpp"

#include <memory>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

std::unique_ptr<local_ranks> ranks_of_host(const std::vector<rank_t>& here) {
  auto all = std::make_unique<local_ranks>();
  all->take(here.data(), here.size());
  return all;
}

void expect_all(const std::vector<rank_t>& here, rank_t places) {
  const auto all = ranks_of_host(here);
  std::vector<rank_t> seen;
  all->each([&](rank_t r) { seen.push_back(r); });
  EXPECT_EQ(seen, here);
  std::uint32_t next = 0;
  for (rank_t r = 0; r < places; ++r) {
    const bool is_here = next < here.size() && here[next] == r;
    ASSERT_EQ(all->holds(r), is_here) << r;
    if (!is_here) continue;
    EXPECT_EQ(all->of(r), local_rank{next});
    EXPECT_EQ(all->at(local_rank{next++}), r);
  }
}

TEST(local_ranks, neighbours_are_counted_from_the_first) { expect_all({7, 8, 9}, 12); }

TEST(local_ranks, those_dealt_out_in_turn_are_found) { expect_all({1, 3, 5, 7}, 9); }

TEST(local_ranks, a_gap_or_two_are_no_hindrance) { expect_all({0, 1, 2, 40, 41, 65535}, 65536); }

TEST(local_ranks, of_a_job_on_one_host_they_are_all) { expect_all({0, 1, 2, 3}, 4); }

}  // namespace
}  // namespace armilla::detail
