// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/biased_lock.hpp"

#include <atomic>
#include <chrono>
#include <random>
#include <thread>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

void owner_takes_it(biased_lock& l, int times) {
  for (int i = 0; i < times; ++i) {
    l.lock_as_owner();
    l.unlock_as_owner();
  }
}

TEST(biased_lock, the_other_thread_ends_the_bias_and_the_owner_gets_it_back) {
  biased_lock l;
  if (!l.is_biased()) GTEST_SKIP() << "membarrier is refused here";
  owner_takes_it(l, 3);
  EXPECT_TRUE(l.is_biased());
  l.lock();
  EXPECT_FALSE(l.is_biased());
  l.unlock();
  owner_takes_it(l, 10);
  EXPECT_FALSE(l.is_biased());
  owner_takes_it(l, 100);
  EXPECT_TRUE(l.is_biased());
}

TEST(biased_lock, the_other_thread_waits_for_an_owner_that_is_inside) {
  biased_lock l;
  l.lock_as_owner();
  std::atomic<bool> has_it = false;
  std::thread other([&] {
    l.lock();
    has_it = true;
    l.unlock();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(has_it);
  l.unlock_as_owner();
  other.join();
  EXPECT_TRUE(has_it);
}

// The other thread comes seldom, often, and in bursts; what the lock guards is not atomic.
TEST(biased_lock, one_at_a_time_is_inside) {
  biased_lock l;
  long guarded = 0;
  constexpr int turns_of_other = 20'000;
  std::atomic<bool> over = false;
  std::thread other([&] {
    std::mt19937 random(1);
    for (int i = 0; i < turns_of_other; ++i) {
      l.lock();
      ++guarded;
      l.unlock();
      for (unsigned pause = random() % 16 == 0 ? random() % 20'000 : random() % 100; pause > 0; --pause)
        std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    over = true;
  });
  long turns_of_owner = 0;
  for (; !over; ++turns_of_owner) {
    l.lock_as_owner();
    ++guarded;
    l.unlock_as_owner();
  }
  other.join();
  EXPECT_EQ(guarded, turns_of_owner + turns_of_other);
}

}  // namespace
}  // namespace armilla::detail
