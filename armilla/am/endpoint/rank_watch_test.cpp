// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/rank_watch.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

constexpr std::uint64_t us = 1000, ms = 1000 * us, after = 50 * us;

struct watched_rank {
  std::uint64_t now = 1000 * ms, looks = 0;
  rank_watch watch;

  watched_rank() { see(); }
  void see(bool sleeps = false) { watch.see(now, looks, now, sleeps, after); }
  /// It looks all the time, and is seen every 50 us.
  void polls(std::uint64_t span) {
    for (const std::uint64_t end = now + span; now < end;) now += 50 * us, ++looks, see();
  }
  /// It does not look, and is asked as often as the watch says.
  void is_gone(std::uint64_t span) {
    for (const std::uint64_t end = now + span; now < end;) now += std::max(watch.nap_ns(now), after), see();
  }
  std::uint64_t nap() const { return watch.nap_ns(now); }
};

TEST(rank_watch, a_rank_that_does_not_look_is_away_and_one_that_looks_again_is_not) {
  watched_rank r;
  r.polls(1 * ms);
  EXPECT_FALSE(r.watch.away());
  r.now += after;
  r.see();
  EXPECT_TRUE(r.watch.away());
  r.polls(50 * us);
  EXPECT_FALSE(r.watch.away());
}

TEST(rank_watch, a_rank_that_polls_is_asked_less_and_less_often) {
  watched_rank r;
  r.polls(100 * us);
  EXPECT_LT(r.nap(), after);
  r.polls(4 * ms);
  EXPECT_NEAR(double(r.nap()), double(500 * us), double(50 * us));
  r.polls(100 * ms);
  EXPECT_EQ(r.nap(), rank_watch::longest_nap_ns);
}

TEST(rank_watch, a_rank_that_loses_its_core_now_and_then_is_asked_no_more_often) {
  watched_rank r;
  r.polls(100 * ms);
  for (int i = 0; i < 100; ++i) {
    r.is_gone(3 * ms);
    EXPECT_TRUE(r.watch.away());
    r.polls(30 * ms);
    EXPECT_EQ(r.nap(), rank_watch::longest_nap_ns);
  }
}

TEST(rank_watch, a_rank_that_begins_to_compute_is_asked_often_from_the_second_time_on) {
  watched_rank r;
  r.polls(1000 * ms);
  r.is_gone(10 * ms);
  for (int i = 0; i < 10; ++i) {
    r.polls(200 * us);
    EXPECT_LT(r.nap(), after);
    r.is_gone(10 * ms);
  }
}

TEST(rank_watch, a_rank_that_sleeps_is_not_away) {
  watched_rank r;
  r.polls(1 * ms);
  for (int i = 0; i < 100; ++i) r.now += 1 * ms, r.see(true);
  EXPECT_FALSE(r.watch.away());
  EXPECT_EQ(r.watch.asleep_for(r.now), 100 * ms);
  r.now += after;
  r.see();
  EXPECT_TRUE(r.watch.away());
  EXPECT_EQ(r.watch.asleep_for(r.now), 0U);
}

}  // namespace
}  // namespace armilla::detail
