// SPDX-License-Identifier: Apache-2.0
#include "armilla/mutex.hpp"

#include <mutex>
#include <string>

#include <gtest/gtest.h>

#include "armilla/error.hpp"
#include "armilla/fiber/solo_rank.hpp"
#include "armilla/spawn.hpp"

namespace {

using armilla::mutex;
using armilla::spawn;
using armilla::yield;
using armilla::detail::solo_rank;

TEST(mutex, lets_one_fiber_through_at_a_time) {
  solo_rank rank;
  mutex m;
  std::string order;
  const auto work = [&](char name) {
    const std::lock_guard hold(m);
    order += name;
    yield(), yield();
    order += name;
  };
  auto a = spawn(work, 'a'), b = spawn(work, 'b'), c = spawn(work, 'c');
  a.join(), b.join(), c.join();
  EXPECT_EQ(order, "aabbcc");
  EXPECT_FALSE(m.is_locked());
}

TEST(mutex, goes_to_the_one_that_waits_longest) {
  solo_rank rank;
  mutex m;
  std::string order;
  auto a = spawn([&] {
    m.lock();
    yield();
    m.unlock();
    m.lock();  // b has it by now, though it has not run
    order += 'a';
    m.unlock();
  });
  auto b = spawn([&] {
    const std::lock_guard hold(m);
    order += 'b';
  });
  a.join(), b.join();
  EXPECT_EQ(order, "ba");
}

TEST(mutex, tries_without_waiting) {
  solo_rank rank;
  mutex m;
  EXPECT_TRUE(m.try_lock());
  EXPECT_FALSE(spawn([&] { return m.try_lock(); }).join());
  m.unlock();
  EXPECT_TRUE(m.try_lock());
  m.unlock();
}

TEST(mutex, says_who_holds_it) {
  solo_rank rank;
  mutex m;
  EXPECT_THROW(m.unlock(), armilla::usage_error);
  m.lock();
  EXPECT_THROW(m.lock(), armilla::usage_error);
  EXPECT_THROW(spawn([&] { m.unlock(); }).join(), armilla::usage_error);
  m.unlock();
}

TEST(mutex, stays_free_where_its_waiter_is_woken_for_nothing) {
  solo_rank rank;
  mutex m;
  m.lock();
  armilla::detail::fiber_record* waiting = nullptr;
  bool got = false;
  auto f = spawn([&] {
    waiting = &rank.fibers().running();
    m.lock();
    got = true;
    m.unlock();
  });
  yield();
  for (int i = 0; i < 3; ++i) {
    rank.fibers().wake(*waiting);
    yield();
    EXPECT_FALSE(got);
  }
  m.unlock();
  f.join();
  EXPECT_TRUE(got);
}

TEST(mutex, counts_locks_and_those_that_waited) {
  solo_rank rank;
  mutex m;
  armilla::detail::counters& count = *armilla::detail::current_head->count;
  m.lock();
  auto f = spawn([&] { const std::lock_guard hold(m); });
  yield();
  m.unlock();
  f.join();
  EXPECT_EQ(count.locks, 2U);
  EXPECT_EQ(count.contended_locks, 1U);
}

TEST(mutex_death_test, is_not_destroyed_while_held) {
  if (!armilla::detail::checked) GTEST_SKIP() << "found in checked builds only";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        solo_rank rank;
        mutex m;
        m.lock();
      },
      "mutex::~mutex");
}

}  // namespace
