// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/base/core/call_stack.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/fiber/solo_rank.hpp"
#include "armilla/spawn.hpp"
#include "armilla/sync_var.hpp"

namespace {

using armilla::spawn;
using armilla::sync_var;
using armilla::yield;
using armilla::detail::solo_rank;

TEST(fiber, join_gives_what_it_returned) {
  solo_rank rank;
  auto f = spawn([](int a, std::string b) { return b + std::to_string(a); }, 7, "n=");
  EXPECT_TRUE(f.joinable());
  EXPECT_EQ(f.join(), "n=7");
  EXPECT_FALSE(f.joinable());
}

TEST(fiber, join_throws_what_it_threw) {
  solo_rank rank;
  auto f = spawn([]() -> int { throw std::range_error("far"); });
  EXPECT_THROW(f.join(), std::range_error);
}

int wait_at_depth(int depth, sync_var<int>& v) { return depth == 0 ? v.read() : wait_at_depth(depth - 1, v) + 1; }

TEST(fiber, shows_the_calls_in_which_it_waits_as_often_as_asked_and_goes_on_then) {
  solo_rank rank;
  sync_var<int> deep, flat;
  auto first = spawn([&] { return wait_at_depth(8, deep); });
  auto second = spawn([&] { return wait_at_depth(0, flat); });
  yield();
  std::vector<armilla::detail::fiber_record*> waiting;
  for (auto* f = rank.fibers().pool().known(); f != nullptr; f = f->next_known)
    if (f->state == armilla::detail::fiber_record::state_t::waiting && f->number != 0 && f != rank.fibers().loop())
      waiting.push_back(f);
  ASSERT_EQ(waiting.size(), 2u);
  const auto calls_of = [&](armilla::detail::fiber_record& f) {
    const armilla::detail::call_stack calls = rank.fibers().calls_of(f);
    return std::vector(calls.address.begin(), calls.address.begin() + calls.size);
  };
  const auto one = calls_of(*waiting[0]), other = calls_of(*waiting[1]);
  EXPECT_GT(std::min(one.size(), other.size()), 2u);
  EXPECT_NE(one, other);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(calls_of(*waiting[0]), one);
  deep = 1;
  flat = 2;
  EXPECT_EQ(first.join(), 9);
  EXPECT_EQ(second.join(), 2);
  EXPECT_TRUE(calls_of(*waiting[0]).empty());  // it has ended
  EXPECT_FALSE(calls_of(rank.fibers().running()).empty());
}

TEST(fiber, begins_when_the_caller_waits) {
  solo_rank rank;
  bool began = false;
  auto f = spawn([&] { began = true; });
  EXPECT_FALSE(began);
  yield();
  EXPECT_TRUE(began);
  EXPECT_TRUE(f.ready());
  f.join();
}

TEST(fiber, takes_turns_by_yielding) {
  solo_rank rank;
  std::string order;
  auto a = spawn([&] {
    for (int i = 0; i < 3; ++i) order += 'a', yield();
  });
  auto b = spawn([&] {
    for (int i = 0; i < 3; ++i) order += 'b', yield();
  });
  a.join();
  b.join();
  EXPECT_EQ(order, "ababab");
}

TEST(fiber, runs_on_when_detached) {
  solo_rank rank;
  int ended = 0;
  spawn([&] {
    yield();
    ++ended;
  });
  spawn([&] {
    ++ended;
    return std::string(1000, 'x');
  });
  while (ended < 2) yield();
  yield();
  EXPECT_EQ(rank.fibers().alive(), 0);
}

TEST(fiber, counts_those_that_live) {
  solo_rank rank;
  auto first = spawn([] { yield(), yield(); });
  auto second = spawn([] {});
  EXPECT_EQ(rank.fibers().alive(), 2U);
  second.join();
  EXPECT_EQ(rank.fibers().alive(), 1U);
  first.join();
  EXPECT_EQ(rank.fibers().alive(), 0U);
  EXPECT_EQ(rank.fibers().counted(), 0U);
}

TEST(fiber, keeps_large_callables_and_results) {
  solo_rank rank;
  std::array<long, 100> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = long(i);
  auto f = spawn([numbers] {
    auto copy = numbers;
    copy[0] = 5;
    return copy;
  });
  const auto result = f.join();
  EXPECT_EQ(result[0], 5);
  EXPECT_EQ(result[99], 99);
}

TEST(fiber, reuses_its_stack) {
  solo_rank rank;
  for (int i = 0; i < 1000; ++i) spawn([] {}).join();
  int known = 0;
  for (auto* f = rank.fibers().pool().known(); f != nullptr; f = f->next_known) ++known;
  EXPECT_LE(known, 2);
}

TEST(fiber, gives_stacks_back_beyond_those_kept) {
  solo_rank rank;
  std::vector<armilla::fiber<void>> many;
  for (int i = 0; i < 3000; ++i) many.push_back(spawn([] { yield(); }));
  for (auto& f : many) f.join();
  for (int i = 0; i < 20'000; ++i) spawn([] {}).join();
  int known = 0;
  for (auto* f = rank.fibers().pool().known(); f != nullptr; f = f->next_known) ++known;
  EXPECT_LE(known, 1026);
}

TEST(fiber, many_sleep_at_a_time) {
#ifdef __SANITIZE_THREAD__
  constexpr int sleepers = 1000;  // it allows few fibers
#else
  constexpr int sleepers = 10'000;
#endif
  solo_rank rank;
  int awake = 0;
  std::vector<armilla::fiber<void>> all;
  for (int i = 0; i < sleepers; ++i)
    all.push_back(spawn([&awake] {
      armilla::sleep_for(std::chrono::milliseconds(20));
      ++awake;
    }));
  for (auto& f : all) f.join();
  EXPECT_EQ(awake, sleepers);
}

TEST(fiber, sleeps_at_least_as_long_as_asked) {
  solo_rank rank;
  const auto before = armilla::detail::now_ns();
  bool other = false;
  spawn([&] { other = true; });
  armilla::sleep_for(std::chrono::milliseconds(2));
  EXPECT_GE(armilla::detail::now_ns() - before, 2'000'000U);
  EXPECT_TRUE(other);
}

// What began later by less than a unit wakes in the order of the units. On a machine that stops for longer: once more, with
// longer ones.
TEST(fiber, wakes_sleepers_in_the_order_of_their_times) {
  solo_rank rank;
  for (std::uint64_t unit = 1'000'000;; unit *= 4) {
    std::string order;
    const auto began = armilla::detail::now_ns();
    const auto sleeper = [&](char name, std::uint64_t units) {
      return spawn([&, name, units] {
        armilla::sleep_for(std::chrono::nanoseconds(units * unit));
        order += name;
      });
    };
    auto c = sleeper('c', 3), a = sleeper('a', 1), b = sleeper('b', 2);
    armilla::yield();
    const bool in_time = armilla::detail::now_ns() - began < unit;
    c.join(), a.join(), b.join();
    if (!in_time) continue;
    EXPECT_EQ(order, "abc");
    return;
  }
}

// Each handles an exception while the other throws, catches and ends: the runtime's list of caught exceptions is a stack.
TEST(fiber, waits_inside_catch) {
  solo_rank rank;
  const auto work = [](std::string mine, int rounds) {
    try {
      throw std::runtime_error(mine);
    } catch (const std::exception&) {
      for (int i = 0; i < rounds; ++i) {
        yield();
        try {
          throw;
        } catch (const std::exception& again) {
          if (again.what() != mine) return false;
        }
      }
    }
    return std::uncaught_exceptions() == 0 && std::current_exception() == nullptr;
  };
  auto a = spawn(work, "a", 3);
  auto b = spawn(work, "b", 5);
  EXPECT_TRUE(a.join());
  EXPECT_TRUE(b.join());
}

struct waits_at_end {
  int* seen;
  ~waits_at_end() {
    yield();
    *seen = std::uncaught_exceptions();
  }
};

TEST(fiber, waits_in_a_destructor_during_unwinding) {
  solo_rank rank;
  int seen = -1, beside = -1;
  auto a = spawn([&] {
    waits_at_end last{&seen};
    throw std::runtime_error("out");
  });
  auto b = spawn([&] { beside = std::uncaught_exceptions(); });
  EXPECT_THROW(a.join(), std::runtime_error);
  b.join();
  EXPECT_EQ(seen, 1);
  EXPECT_EQ(beside, 0);
}

TEST(fiber, an_empty_handle_cannot_be_joined) {
  solo_rank rank;
  armilla::fiber<int> none;
  EXPECT_THROW(none.join(), armilla::usage_error);
}

using FiberDeathTest = testing::Test;

[[gnu::noinline]] int dig(int depth, volatile char* above) {
  volatile char here[1024];
  here[0] = above == nullptr ? 0 : char(above[0] + 1);
  return depth == 0 ? 0 : dig(depth - 1, here) + here[0];
}

// Runs `f` in a fiber, whose stack it overflows.
template <class F>
void expect_a_named_overflow(F f) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has its own handler";
#endif
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        solo_rank rank;
        spawn(f).join();
      },
      "rank 0: fiber [0-9]+: its stack of [0-9]+ bytes has overflowed; raise ARMILLA_STACK");
}

TEST(fiber_death_test, an_overflow_names_the_fiber_and_the_option) {
  expect_a_named_overflow([] { return dig(1'000'000, nullptr); });
}

// Touches the far end of its frame first.
[[gnu::noinline]] double fill_a_large_frame(int times) {
  volatile double large[60'000];
  for (int i = 0; i < times; ++i) large[i] = i;
  return large[0] + large[times - 1];
}

TEST(fiber_death_test, an_overflow_by_one_large_frame_names_them_too) {
  expect_a_named_overflow([] { return fill_a_large_frame(100); });
}

// Beyond the 32,000 for which the system has mappings, where a guard takes none.
TEST(fiber, more_of_them_wait_than_there_are_mappings) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers hold some memory for each";
#endif
  void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const bool marks = madvise(page, 4096, 102) == 0 && madvise(page, 4096, 22) != 0;  // a guard, that cannot be given memory
  munmap(page, 4096);
  const int many = marks ? 33'000 : 30'000;
  solo_rank rank;
  sync_var<int> go;
  int gone = 0;
  std::vector<armilla::fiber<void>> all;
  for (int i = 0; i < many; ++i) all.push_back(spawn([&] { go.read(), ++gone; }));
  yield();
  EXPECT_EQ(gone, 0);
  go = 1;
  for (auto& one : all) one.join();
  EXPECT_EQ(gone, many);
}

}  // namespace
