// SPDX-License-Identifier: Apache-2.0
// The rules by which ranks that share cores choose between yields and sleeps, on a clock of the test's own.
#include "armilla/fabric/crowding.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/base/values/clock.hpp"

namespace armilla::detail {
namespace {

using mode = crowd_record::mode;
constexpr std::uint64_t ms = 1'000'000;

/// A host of four ranks on two cores. `passes(t, n, share)`: the period lasts t, in which its ranks make n steps and have `share`
/// of the cores. They would have them all the time, but for `idle`, a share of the time.
struct crowd : testing::Test {
  void passes(std::uint64_t time, std::uint64_t steps, double share, std::uint32_t late = 3, double idle = 0) {
    now += time;
    seen.steps += steps;
    seen.processor_ns += std::uint64_t(share * 2 * double(time));
    seen.queued_ns += std::uint64_t((4 * (1 - idle) - share * 2) * double(time));
    if (host.now == mode::watched || host.now == mode::suspected) host.late = late;
    judge_crowd(host, now, seen);
  }
  void starts_to_watch() {
    host.now = mode::watched;
    host.began = now;
    host.steps = seen.steps;
    host.processor = seen.processor_ns;
    host.queued = seen.queued_ns;
  }
  void tries() {
    starts_to_watch();
    passes(16 * ms, 10, 0.5);
    passes(16 * ms, 10, 0.5);
    ASSERT_EQ(host.now, mode::tried);
  }
  void sleeps() {
    tries();
    passes(48 * ms, 1000, 0.5);
    ASSERT_EQ(host.now, mode::sleeps);
  }
  std::uint64_t length() const { return host.until - now; }

  crowd_record host{};
  crowd_period seen{.ranks = 4, .cores = 2};
  std::uint64_t now = 1000 * ms;
};

TEST_F(crowd, of_its_own_ranks_alone_goes_on_to_yield) {
  starts_to_watch();
  passes(16 * ms, 10, 0.99);
  EXPECT_EQ(host.now, mode::yields);
  EXPECT_EQ(host.until, now) << "the next late yield is looked at again";
}

TEST_F(crowd, whose_ranks_had_nothing_to_do_for_a_while_goes_on_to_yield) {
  starts_to_watch();
  passes(64 * ms, 10, 0.2, 3, 0.8);
  EXPECT_EQ(host.now, mode::yields);
}

TEST_F(crowd, whose_ranks_had_less_than_the_little_they_wanted_tries_to_sleep) {
  starts_to_watch();
  passes(64 * ms, 10, 0.1, 3, 0.8);
  EXPECT_EQ(host.now, mode::suspected);
}

TEST_F(crowd, whose_ranks_wait_for_cores_that_the_kernel_does_not_count_goes_on_to_yield) {
  starts_to_watch();
  const std::uint64_t before = seen.queued_ns;
  now += 16 * ms;
  seen.processor_ns += 8 * ms;
  host.late = 3;
  judge_crowd(host, now, seen);
  EXPECT_EQ(seen.queued_ns, before);
  EXPECT_EQ(host.now, mode::yields);
}

TEST_F(crowd, that_was_suspected_once_goes_on_to_yield) {
  starts_to_watch();
  passes(16 * ms, 10, 0.5);
  passes(16 * ms, 10, 0.99);
  EXPECT_EQ(host.now, mode::yields);
}

TEST_F(crowd, that_is_late_once_goes_on_to_yield) {
  starts_to_watch();
  passes(16 * ms, 10, 0.5, 0);
  EXPECT_EQ(host.now, mode::yields);
}

TEST_F(crowd, beside_strangers_tries_to_sleep) {
  starts_to_watch();
  passes(16 * ms, 10, 0.5);
  EXPECT_EQ(host.now, mode::suspected);
  passes(16 * ms, 10, 0.5);
  EXPECT_EQ(host.now, mode::tried);
  EXPECT_EQ(length(), crowd_trial_ns);
}

TEST_F(crowd, sleeps_while_that_is_quicker) {
  sleeps();
  EXPECT_EQ(length(), 32 * ms);
}

TEST_F(crowd, that_is_no_quicker_by_sleeps_yields_for_a_while) {
  tries();
  passes(48 * ms, 40, 0.5);  // a third more a second
  EXPECT_EQ(host.now, mode::yields);
  EXPECT_EQ(length(), 128 * ms);
  now += 128 * ms;
  tries();
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
  tries();
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

TEST(crowding, is_judged_while_a_look_at_its_ranks_is_short) {
  static const control_block one{};
  for (const auto& [ranks, how] : {std::pair{128u, mode::watched}, std::pair{129u, mode::yields}}) {
    crowd_record host{};
    crowding each(host, std::vector<const control_block*>(ranks, &one), {}, 2);
    each.yield(now_ns() - 2 * late_yield_ns);
    EXPECT_EQ(host.now, how) << ranks << " ranks on 2 cores";
  }
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

TEST(crowding, counts_what_its_ranks_take_in) {
  crowd_record host{};
  control_block rank{};
  crowding mine(host, {&rank}, {getpid()}, 1);
  rank.waits = 5;
  rank.count.bytes_received = 6400;
  host.now = mode::sleeps;
  mine.sleeps_at_once(1);
  EXPECT_EQ(host.steps, 105);
}

// Two threads on one processor, of which one is the rank.
TEST(crowding, counts_how_long_its_ranks_wait_for_a_core) {
  if (access("/proc/self/schedstat", R_OK) != 0) GTEST_SKIP() << "this kernel does not count that";
  crowd_record host{};
  control_block rank{};
  std::atomic<bool> over = false;
  const auto compute = [&over, processor = sched_getcpu()] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    while (!over) asm volatile("");
  };
  std::jthread owner([&] {
    rank.process = getpid();
    rank.thread = gettid();
    compute();
  });
  std::jthread stranger(compute);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  crowding mine(host, {&rank}, {getpid()}, 1);
  host.now = mode::sleeps;
  mine.sleeps_at_once(1);
  over = true;
  EXPECT_GT(host.queued, 10 * ms);
}

}  // namespace
}  // namespace armilla::detail
