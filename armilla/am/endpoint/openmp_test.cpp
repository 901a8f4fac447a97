// SPDX-License-Identifier: Apache-2.0
// Waits inside a parallel region of OpenMP: the rank's thread polls, and never leaves its stack.
#include <omp.h>

#include <chrono>
#include <mutex>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }
am::per_rank<long> calls;

RANK_TEST(a_rank_asks_and_answers_inside_a_parallel_region) {
  *calls = 0;
  am::barrier();
  long sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    double x = 1;
    for (int i = 0; i < 100'000; ++i) x = x * 1.0000001;
    if (omp_get_thread_num() == 0) {
      for (int i = 0; i < 200; ++i)
        sum += am::call(
                   next(),
                   [](int n) {
                     ++*calls;
                     return n;
                   },
                   i)
                   .get();
      while (*calls < 200) am::poll();
    }
    sum += x > 0 ? 0 : 1;
  }
  EXPECT_EQ(sum, 199L * 200 / 2);
  am::fence();
  EXPECT_EQ(*calls, 200);
}

RANK_TEST(a_body_that_waits_is_refused_there) {
  if (am::ranks() == 1) return;
  am::per_rank<long>& done = calls;
  *done = 0;
  am::barrier();
  if (am::rank() == 0) {
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
      while (*done < am::ranks() - 1) am::poll();
  } else {
    auto f = am::call(0, [](am::rank_t back) { am::call(back, [] {}).get(); }, am::rank());
    EXPECT_THROWS(am::remote_error, f.get());
    am::call(0, [] { ++*calls; }).get();
  }
  am::fence();
}

RANK_TEST(what_would_let_another_fiber_run_is_refused_there) {
  am::mutex lock;
  am::condition_variable changed;
  am::sync_var<int> unwritten;
  bool over = false;
  auto other = am::spawn([&] {
    const std::lock_guard hold(lock);
    while (!over) am::yield();
  });
  am::yield();
  EXPECT(lock.is_locked());
  long sum = 0;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    EXPECT_THROWS_SAYING(am::usage_error, "OpenMP", am::yield());
    EXPECT_THROWS_SAYING(am::usage_error, "OpenMP", lock.lock());
    EXPECT_THROWS_SAYING(am::usage_error, "OpenMP", unwritten.read());
    EXPECT_THROWS_SAYING(am::usage_error, "OpenMP", am::sleep_for(std::chrono::milliseconds(1)));
    EXPECT_THROWS_SAYING(am::usage_error, "OpenMP", other.wait());
    am::mutex mine;
    std::unique_lock held(mine);
    EXPECT_THROWS_SAYING(am::usage_error, "OpenMP", changed.wait(held));
    EXPECT(held.owns_lock() && mine.is_locked());
    held.unlock();
    am::parfor(0, 10, [&](int i) { sum += am::call(next(), [](int n) { return n; }, i).get(); });
    while (am::poll()) {}
  }
  EXPECT_EQ(sum, 45);
  over = true;
  other.join();
  am::fence();
}

}  // namespace
