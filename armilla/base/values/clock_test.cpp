// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/values/clock.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

using namespace std::chrono_literals;

TEST(clock, never_goes_back) {
  std::uint64_t last = now_ns();
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t now = now_ns();
    EXPECT_GE(now, last);
    last = now;
  }
}

TEST(clock, ticks_have_a_length) {
  EXPECT_GT(ns_per_tick(), 0.0);
  EXPECT_EQ(ns_per_tick(), ns_per_tick());
  EXPECT_EQ(ticks_to_ns(0), 0u);
}

// Each end lies between two looks at the clock, so an interruption only makes the bounds wider.
TEST(clock, ticks_and_nanoseconds_agree_on_an_interval) {
  const std::uint64_t before_begin = now_ns(), begin = ticks(), behind_begin = now_ns();
  std::uint64_t before_end = behind_begin;
  while (before_end - behind_begin < 10'000'000) before_end = now_ns();
  const std::uint64_t end = ticks(), behind_end = now_ns();
  const std::uint64_t took = ticks_to_ns(end - begin);
  EXPECT_GE(took, (before_end - behind_begin) / 100 * 98);
  EXPECT_LE(took, (behind_end - before_begin) / 100 * 102);
}

TEST(deadline, takes_any_duration) {
  const std::uint64_t before = now_ns();
  EXPECT_GE(deadline_after(2s), before + 2'000'000'000u);
  EXPECT_GE(deadline_after(1500ms), before + 1'500'000'000u);
  EXPECT_GE(deadline_after(std::chrono::duration<double>(0.5)), before + 500'000'000u);
}

TEST(deadline, past_and_endless_ones_are_expired_and_never) {
  EXPECT_TRUE(expired(deadline_after(-1s)));
  EXPECT_TRUE(expired(deadline_after(0s)));
  EXPECT_EQ(deadline_after(std::chrono::hours::max()), never);
  EXPECT_EQ(deadline_after_ns(never), never);
  EXPECT_FALSE(expired(never));
  EXPECT_FALSE(expired(deadline_after(1h)));
}

}  // namespace
}  // namespace armilla::detail
