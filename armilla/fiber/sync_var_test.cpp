// SPDX-License-Identifier: Apache-2.0
#include "armilla/sync_var.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "armilla/error.hpp"
#include "armilla/fiber/solo_rank.hpp"
#include "armilla/spawn.hpp"

namespace {

using armilla::spawn;
using armilla::sync_var;
using armilla::yield;
using armilla::detail::solo_rank;

TEST(sync_var, readers_wait_for_the_one_write) {
  solo_rank rank;
  sync_var<std::string> v;
  std::string seen;
  auto a = spawn([&] { seen += "a" + v.read(); });
  auto b = spawn([&] { seen += "b" + v.get(); });
  yield();
  EXPECT_FALSE(v.ready());
  EXPECT_EQ(seen, "");
  v = "1";
  EXPECT_TRUE(v.ready());
  a.join(), b.join();
  EXPECT_EQ(seen, "a1b1");
}

TEST(sync_var, converts_to_its_value) {
  solo_rank rank;
  sync_var<int> v, w(3);
  spawn([&] { v = 7; });
  const int sum = v + w;
  EXPECT_EQ(sum, 10);
}

TEST(sync_var, refuses_a_second_write) {
  solo_rank rank;
  sync_var<int> v;
  v = 1;
  EXPECT_THROW(v = 2, armilla::usage_error);
  EXPECT_EQ(v.read(), 1);
}

TEST(sync_var, stays_unwritten_when_the_value_throws) {
  solo_rank rank;
  struct moody {
    explicit moody(int i) : value(i) {
      if (i < 0) throw std::runtime_error("negative");
    }
    int value;
  };
  sync_var<moody> v;
  EXPECT_THROW(v.write(-1), std::runtime_error);
  EXPECT_FALSE(v.ready());
  v.write(1);
  EXPECT_EQ(v.read().value, 1);
}

TEST(sync_var, holds_what_only_moves) {
  solo_rank rank;
  sync_var<std::unique_ptr<int>> v;
  v = std::make_unique<int>(4);
  EXPECT_EQ(*v.read(), 4);
}

TEST(sync_var, waits_on_when_woken_for_nothing) {
  solo_rank rank;
  sync_var<void> v;
  armilla::detail::fiber_record* waiting = nullptr;
  auto f = spawn([&] {
    waiting = &rank.fibers().running();
    v.read();
  });
  yield();
  rank.fibers().wake(*waiting);
  yield();
  EXPECT_FALSE(f.ready());
  v.write();
  f.join();
  EXPECT_THROW(v.write(), armilla::usage_error);
}

}  // namespace
