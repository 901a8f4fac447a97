// SPDX-License-Identifier: Apache-2.0
#include "armilla/task.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/error.hpp"
#include "armilla/fiber/solo_rank.hpp"

namespace {

using armilla::fiber;
using armilla::spawn;
using armilla::spawn_task;
using armilla::sync_var;
using armilla::task;
using armilla::yield;
using armilla::detail::solo_rank;

task<int> twice(const sync_var<int>& v) { co_return 2 * co_await v; }
task<int> sum(const sync_var<int>& a, const sync_var<int>& b) {
  task<int> first = twice(a);
  first.start();
  const int second = co_await twice(b);
  co_return co_await first + second;
}
task<> note(std::string& order, const sync_var<void>& go) {
  order += 'a';
  co_await go;
  order += 'b';
}
task<int> fails() {
  throw std::range_error("far");
  co_return 1;
}
task<std::string> blocks(const sync_var<std::string>& v) { co_return v.read() + "!"; }

TEST(task, begins_when_somebody_wants_it) {
  solo_rank rank;
  std::string order;
  sync_var<void> go;
  {
    const task<> never = note(order, go);
    EXPECT_FALSE(never.ready());
  }
  EXPECT_EQ(order, "");
  task<> t = note(order, go);
  t.start(), t.start();
  EXPECT_EQ(order, "a");
  go.write();
  t.get();
  EXPECT_EQ(order, "ab");
  EXPECT_FALSE(t.valid());
  EXPECT_THROW(t.get(), armilla::usage_error);
}

TEST(task, awaits_sync_vars_and_tasks) {
  solo_rank rank;
  sync_var<int> a, b;
  auto f = spawn_task(sum(a, b));
  yield();
  EXPECT_FALSE(f.ready());
  b = 5;
  yield(), yield();
  a = 1;
  EXPECT_EQ(f.join(), 12);
  EXPECT_EQ(twice(a).get(), 2);
}

TEST(task, awaits_fibers) {
  solo_rank rank;
  const auto both = []() -> task<int> {
    fiber<int> late = spawn([] {
      yield(), yield();
      return 4;
    });
    const int first = co_await spawn([] { return 3; });
    co_return first + co_await late;
  };
  EXPECT_EQ(both().get(), 7);
  const auto failing = []() -> task<> { co_await spawn([] { throw std::range_error("far"); }); };
  EXPECT_THROW(failing().get(), std::range_error);
}

TEST(task, exceptions_travel) {
  solo_rank rank;
  EXPECT_THROW(fails().get(), std::range_error);
  EXPECT_THROW(spawn_task(fails()).join(), std::range_error);
  const auto outer = []() -> task<std::string> {
    try {
      co_await fails();
    } catch (const std::range_error& e) { co_return e.what(); }
    co_return "";
  };
  EXPECT_EQ(outer().get(), "far");
}

TEST(task, may_block_too) {
  solo_rank rank;
  sync_var<std::string> first, second;
  const auto both = [&]() -> task<std::string> {
    const std::string one = co_await first;
    co_return one + co_await blocks(second);  // on a fiber of its own by now
  };
  task<std::string> t = both();
  t.start();
  first = "1";
  yield(), yield();
  EXPECT_FALSE(t.ready());
  second = "2";
  EXPECT_EQ(t.get(), "12!");
}

TEST(task, many_wait_without_stacks) {
  solo_rank rank;
  sync_var<int> v;
  std::vector<task<int>> all;
  for (int i = 0; i < 2000; ++i) all.push_back(twice(v)), all.back().start();
  EXPECT_EQ(rank.fibers().pool().known(), nullptr);
  v = 3;
  int total = 0;
  for (auto& t : all) total += t.get();
  EXPECT_EQ(total, 12000);
}

task<int> count_down(int n) {
  if (n == 0) co_return 0;
  co_return 1 + co_await count_down(n - 1);
}

// g++ goes from one coroutine to the next by a tail call, which it makes when it optimises.
#if defined __OPTIMIZE__ || defined __clang__
constexpr bool makes_tail_calls = !armilla::detail::checked;
#else
constexpr bool makes_tail_calls = false;
#endif

// One goes on behind the other, not inside it, where the compiler makes tail calls.
TEST(task, long_chains_need_little_stack) {
  solo_rank rank;
  const int depth = makes_tail_calls ? 100'000 : 50;
  EXPECT_EQ(spawn_task(count_down(depth)).join(), depth);
}

TEST(task, runs_on_when_dropped) {
  solo_rank rank;
  const auto alive = std::make_shared<int>(0);
  sync_var<void> go;
  const auto work = [](std::shared_ptr<int> mine, sync_var<void>& until) -> task<> {
    co_await until;
    *mine = 1;
  };
  {
    task<> t = work(alive, go);
    t.start();
  }
  EXPECT_EQ(alive.use_count(), 2);
  go.write();
  yield(), yield();
  EXPECT_EQ(*alive, 1);
  EXPECT_EQ(alive.use_count(), 1);
}

}  // namespace
