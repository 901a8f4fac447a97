// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/channel.hpp"
#include "armilla/condition_variable.hpp"
#include "armilla/error.hpp"
#include "armilla/fiber/solo_rank.hpp"
#include "armilla/mutex.hpp"
#include "armilla/semaphore.hpp"
#include "armilla/shared_mutex.hpp"
#include "armilla/spawn.hpp"

namespace {

using armilla::channel;
using armilla::condition_variable;
using armilla::latch;
using armilla::mutex;
using armilla::semaphore;
using armilla::shared_mutex;
using armilla::spawn;
using armilla::usage_error;
using armilla::yield;
using armilla::detail::solo_rank;
using namespace std::chrono_literals;

TEST(shared_mutex, readers_share_writers_do_not) {
  solo_rank rank;
  shared_mutex m;
  std::string order;
  const auto reader = [&](char name) {
    const std::shared_lock hold(m);
    order += name;
    yield();
    order += name;
  };
  const auto writer = [&](char name) {
    const std::lock_guard hold(m);
    order += name;
    yield();
    order += name;
  };
  auto a = spawn(reader, 'a'), b = spawn(reader, 'b'), w = spawn(writer, 'W'), c = spawn(reader, 'c'), d = spawn(reader, 'd');
  a.join(), b.join(), w.join(), c.join(), d.join();
  EXPECT_EQ(order, "ababWWcdcd");
}

TEST(shared_mutex, tries_and_refuses) {
  solo_rank rank;
  shared_mutex m;
  EXPECT_THROW(m.unlock(), usage_error);
  EXPECT_THROW(m.unlock_shared(), usage_error);
  EXPECT_TRUE(m.try_lock_shared());
  EXPECT_TRUE(m.try_lock_shared());
  EXPECT_FALSE(m.try_lock());
  m.unlock_shared(), m.unlock_shared();
  EXPECT_TRUE(m.try_lock());
  EXPECT_FALSE(m.try_lock_shared());
  EXPECT_THROW(m.lock(), usage_error);
  EXPECT_THROW(m.lock_shared(), usage_error);
  m.unlock();
}

TEST(condition, waits_for_what_holds) {
  solo_rank rank;
  mutex m;
  condition_variable changed;
  int value = 0;
  auto f = spawn([&] {
    std::unique_lock hold(m);
    changed.wait(hold, [&] { return value == 2; });
    return hold.owns_lock();
  });
  for (int i = 1; i <= 2; ++i) {
    yield();
    EXPECT_FALSE(f.ready());
    const std::lock_guard hold(m);
    value = i;
    changed.notify_one();
  }
  EXPECT_TRUE(f.join());
  EXPECT_FALSE(m.is_locked());
}

TEST(condition, notifies_one_or_all_in_order) {
  solo_rank rank;
  mutex m;
  condition_variable c;
  std::string order;
  std::vector<armilla::fiber<void>> all;
  for (const char name : {'a', 'b', 'c'})
    all.push_back(spawn([&, name] {
      m.lock();
      c.wait(m);
      order += name;
      m.unlock();
    }));
  c.notify_one();  // none waits yet
  yield(), yield();
  c.notify_one();
  yield(), yield();
  EXPECT_EQ(order, "a");
  c.notify_all();
  for (auto& f : all) f.join();
  EXPECT_EQ(order, "abc");
}

TEST(condition, gives_up_in_time) {
  solo_rank rank;
  mutex m;
  condition_variable c;
  m.lock();
  EXPECT_FALSE(c.wait_for(m, 1ms));
  EXPECT_FALSE(c.wait_for(m, 1ms, [] { return false; }));
  EXPECT_FALSE(c.wait_for(m, -5s));
  auto f = spawn([&] { c.notify_all(); });
  EXPECT_TRUE(c.wait_for(m, 100s));
  EXPECT_TRUE(c.wait_for(m, 1ms, [] { return true; }));
  EXPECT_TRUE(m.is_locked());
  m.unlock();
  f.join();
}

TEST(condition, needs_no_lock_between_fibers) {
  solo_rank rank;
  condition_variable c;
  int n = 0;
  auto f = spawn([&] { c.wait_unlocked([&] { return n == 3; }); });
  while (!f.ready()) {
    ++n;
    c.notify_all();
    yield();
  }
  EXPECT_EQ(n, 3);
}

TEST(semaphore, serves_in_order) {
  solo_rank rank;
  semaphore s(1);
  std::string order;
  const auto work = [&](char name) {
    s.acquire();
    order += name;
  };
  auto a = spawn(work, 'a'), b = spawn(work, 'b'), c = spawn(work, 'c');
  yield();
  EXPECT_EQ(order, "a");
  EXPECT_FALSE(s.try_acquire());
  s.release(3);
  EXPECT_EQ(s.available(), 1U);
  b.join(), c.join(), a.join();
  EXPECT_EQ(order, "abc");
}

TEST(semaphore, gives_up_in_time_and_leaves_the_line) {
  solo_rank rank;
  semaphore s;
  auto patient = spawn([&] { s.acquire(); });
  auto hasty = spawn([&] { return s.try_acquire_for(1ms); });
  EXPECT_FALSE(hasty.join());
  s.release();
  patient.join();
  EXPECT_EQ(s.available(), 0U);
  s.release();
  EXPECT_TRUE(s.try_acquire_for(1ms));
}

TEST(latch, opens_when_all_have_arrived) {
  solo_rank rank;
  latch l(3);
  int through = 0;
  const auto work = [&] {
    l.arrive_and_wait();
    ++through;
  };
  auto a = spawn(work), b = spawn(work);
  yield();
  EXPECT_EQ(through, 0);
  EXPECT_FALSE(l.try_wait());
  EXPECT_THROW(l.count_down(2), usage_error);
  l.count_down();
  a.join(), b.join();
  l.wait();
  EXPECT_EQ(through, 2);
}

TEST(channel, passes_values_in_order_through_little_room) {
  solo_rank rank;
  channel<std::unique_ptr<int>> c(2);
  auto pusher = spawn([&] {
    for (int i = 0; i < 10; ++i) c.push(std::make_unique<int>(i));
    c.close();
  });
  int next = 0;
  while (auto value = c.pop()) EXPECT_EQ(**value, next++);
  EXPECT_EQ(next, 10);
  pusher.join();
  EXPECT_FALSE(c.pop());
}

TEST(channel, nobody_overtakes_a_waiter) {
  solo_rank rank;
  channel<char> c(1);
  c.push('a');
  auto b = spawn([&] { c.push('b'); });
  yield();
  EXPECT_EQ(c.pop(), 'a');
  EXPECT_FALSE(c.try_push('x'));  // b's value has the room, though b has not run
  EXPECT_EQ(c.pop(), 'b');
  b.join();
  auto first = spawn([&] { return c.pop(); }), second = spawn([&] { return c.pop(); });
  yield();
  EXPECT_TRUE(c.try_push('1'));
  EXPECT_EQ(c.try_pop(), std::nullopt);
  EXPECT_TRUE(c.try_push('2'));
  EXPECT_EQ(first.join(), '1');
  EXPECT_EQ(second.join(), '2');
}

TEST(channel, closes_under_those_who_wait) {
  solo_rank rank;
  channel<int> full(1), none(1);
  full.push(1);
  auto pusher = spawn([&] { full.push(2); });
  auto popper = spawn([&] { return none.pop(); });
  yield();
  full.close(), none.close();
  EXPECT_THROW(pusher.join(), usage_error);
  EXPECT_EQ(popper.join(), std::nullopt);
  EXPECT_EQ(full.pop(), 1);
  EXPECT_EQ(full.pop(), std::nullopt);
  EXPECT_THROW(full.try_push(1), usage_error);
}

TEST(channel, refuses_to_hold_nothing) {
  solo_rank rank;
  EXPECT_THROW(channel<int>(0), usage_error);
  EXPECT_THROW(channel<int>(std::size_t(-1)), usage_error);
  EXPECT_THROW(channel<char>(std::size_t(-5)), usage_error);
  EXPECT_THROW(semaphore(std::uint64_t(-1)), usage_error);
  EXPECT_THROW(semaphore().release(std::uint64_t(-1)), usage_error);
  EXPECT_THROW(latch(std::uint64_t(-1)), usage_error);
}

TEST(channel, destroys_what_nobody_took) {
  solo_rank rank;
  const auto value = std::make_shared<int>(1);
  {
    channel<std::shared_ptr<int>> c(3);
    c.push(value), c.push(value);
    c.pop();
    c.push(value), c.push(value);
    EXPECT_EQ(value.use_count(), 4);
  }
  EXPECT_EQ(value.use_count(), 1);
}

}  // namespace
