// SPDX-License-Identifier: Apache-2.0
// The rules by which ranks that share cores choose between yields and sleeps, on a clock of the test's own.
#include "armilla/fabric/crowding.hpp"

#include <unistd.h>

#include <array>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

using mode = crowd_record::mode;
constexpr std::uint64_t ms = 1'000'000;

/// A host of two cores. `passes(t, w, share)`: the period lasts t, in which its ranks begin w waits and have `share` of the
/// cores.
struct crowd : testing::Test {
  void passes(std::uint64_t time, std::uint64_t waits, double share, std::uint32_t late = 3) {
    now += time;
    seen.waits += waits;
    seen.processor_ns += std::uint64_t(share * 2 * double(time));
    if (host.now == mode::watched) host.late = late;
    judge_crowd(host, now, seen);
  }
  void starts_to_watch() {
    host.now = mode::watched;
    host.began = now;
    host.waits = seen.waits;
    host.processor = seen.processor_ns;
  }
  void sleeps() {
    starts_to_watch();
    passes(16 * ms, 10, 0.5);
    passes(48 * ms, 1000, 0.5);
    ASSERT_EQ(host.now, mode::sleeps);
  }
  std::uint64_t length() const { return host.until - now; }

  crowd_record host{};
  crowd_period seen{.cores = 2};
  std::uint64_t now = 1000 * ms;
};

TEST_F(crowd, of_its_own_ranks_alone_goes_on_to_yield) {
  starts_to_watch();
  passes(16 * ms, 10, 0.99);
  EXPECT_EQ(host.now, mode::yields);
  EXPECT_EQ(host.until, now) << "the next late yield is looked at again";
}

TEST_F(crowd, that_is_late_once_goes_on_to_yield) {
  starts_to_watch();
  passes(16 * ms, 10, 0.5, 0);
  EXPECT_EQ(host.now, mode::yields);
}

TEST_F(crowd, beside_strangers_tries_to_sleep) {
  starts_to_watch();
  passes(16 * ms, 10, 0.5);
  EXPECT_EQ(host.now, mode::tried);
  EXPECT_EQ(length(), crowd_trial_ns);
}

TEST_F(crowd, sleeps_while_that_is_quicker) {
  sleeps();
  EXPECT_EQ(length(), 32 * ms);
}

TEST_F(crowd, that_is_no_quicker_by_sleeps_yields_for_a_while) {
  starts_to_watch();
  passes(16 * ms, 10, 0.5);
  passes(48 * ms, 40, 0.5);  // a third more a second
  EXPECT_EQ(host.now, mode::yields);
  EXPECT_EQ(length(), 128 * ms);
  now += 128 * ms;
  starts_to_watch();
  passes(16 * ms, 10, 0.5);
  passes(48 * ms, 40, 0.5);
  EXPECT_EQ(length(), 256 * ms) << "longer when it was so again";
}

TEST_F(crowd, that_sleeps_compares_now_and_then) {
  sleeps();
  passes(32 * ms, 700, 0.5);
  EXPECT_EQ(host.now, mode::tried);
  passes(48 * ms, 1000, 0.5);
  EXPECT_EQ(host.now, mode::watched);
  passes(16 * ms, 10, 0.5);
  EXPECT_EQ(host.now, mode::sleeps);
  EXPECT_EQ(length(), 64 * ms);
}

TEST_F(crowd, that_sleeps_yields_when_the_strangers_have_gone) {
  sleeps();
  passes(32 * ms, 700, 0.5);
  passes(48 * ms, 1000, 0.5);
  passes(16 * ms, 4000, 1.0, 0);
  EXPECT_EQ(host.now, mode::yields);
  EXPECT_EQ(host.until, now);
}

TEST_F(crowd, never_goes_longer_than_a_second_without_comparison) {
  sleeps();
  for (int i = 0; i < 12; ++i) {
    passes(length(), 700, 0.5);
    passes(48 * ms, 1000, 0.5);
    passes(16 * ms, 10, 0.5);
    ASSERT_EQ(host.now, mode::sleeps);
  }
  EXPECT_EQ(length(), longest_crowd_ns);
}

TEST_F(crowd, that_had_something_else_to_do_knows_nothing) {
  starts_to_watch();
  passes(16 * ms, 10, 0.5);
  passes(2000 * ms, 5, 0.1);  // its ranks slept, or computed
  EXPECT_EQ(host.now, mode::yields);
  EXPECT_EQ(host.until, now);
  starts_to_watch();
  passes(2000 * ms, 5, 0.1);
  EXPECT_EQ(host.now, mode::yields);
}

// Many at once: one of them judges each period, and all hear of it.
TEST(crowding, is_judged_by_one_of_all) {
  crowd_record host{};
  std::array<control_block, 4> ranks{};
  std::vector<const control_block*> all;
  for (const control_block& each : ranks) all.push_back(&each);
  host.now = mode::sleeps;
  host.length = longest_crowd_ns / 2;
  std::vector<std::thread> threads;
  std::array<bool, 4> slept{};
  for (std::size_t i = 0; i < slept.size(); ++i)
    threads.emplace_back([&, i] { slept[i] = crowding(host, all, {getpid()}, 2).sleeps_at_once(5 * ms); });
  for (std::thread& each : threads) each.join();
  for (const bool each : slept) EXPECT_TRUE(each);
  EXPECT_EQ(host.now, mode::tried);
  EXPECT_GE(host.until, 5 * ms + crowd_period_ns);
}

TEST(crowding, counts_the_processor_time_of_its_processes) {
  crowd_record host{};
  crowding mine(host, {}, {getpid()}, 1);
  host.now = mode::sleeps;
  mine.sleeps_at_once(1);
  const std::uint64_t had = host.processor;
  for (int i = 0; i < 50'000'000; ++i) asm volatile("");
  host.now = mode::sleeps;
  mine.sleeps_at_once(host.until);
  EXPECT_GT(host.processor, had + ms);
}

}  // namespace
}  // namespace armilla::detail
