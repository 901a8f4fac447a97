// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "armilla/rpc/client_service.hpp"

namespace {

using armilla::detail::client_budget;

constexpr std::uint64_t ms = 1'000'000;

TEST(client_budget, is_a_millisecond_at_once) {
  client_budget b;
  EXPECT_TRUE(b.allows(5 * ms));
  for (int i = 0; i < 9; ++i) b.spend(100'000);
  EXPECT_FALSE(b.spent());
  b.spend(100'000);
  EXPECT_TRUE(b.spent());
  EXPECT_FALSE(b.allows(5 * ms));
}

TEST(client_budget, is_half_of_the_time_in_the_long_run) {
  client_budget b;
  std::uint64_t now = 5 * ms, used = 0;
  b.allows(now);
  for (; now < 1005 * ms; now += 1000)
    if (b.allows(now)) b.spend(900), used += 900;
  EXPECT_GE(used, 499 * ms);
  EXPECT_LE(used, 502 * ms);
}

TEST(client_budget, counts_a_long_body_as_a_short_one) {
  client_budget b;
  b.allows(5 * ms);
  b.spend(60'000 * ms);
  EXPECT_FALSE(b.spent());
}

TEST(client_budget, does_not_save_up) {
  client_budget b;
  b.allows(5 * ms);
  b.allows(60'000 * ms);
  for (int i = 0; i < 10; ++i) b.spend(100'000);
  EXPECT_TRUE(b.spent());
}

}  // namespace
