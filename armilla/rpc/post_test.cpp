// SPDX-License-Identifier: Apache-2.0
#include "armilla/post.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "armilla/fence.hpp"
#include "armilla/poll.hpp"
#include "armilla/program.hpp"
#include "armilla/rank.hpp"
#include "armilla/spawn.hpp"
#include "armilla/sync_var.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;
using namespace std::chrono_literals;

namespace {

/// Runs `f` on another thread, while this rank polls.
template <class F>
void beside(F f) {
  std::atomic<bool> ended = false;
  std::thread other([&] {
    f();
    ended = true;
  });
  while (!ended) am::poll();
  other.join();
}

}  // namespace

RANK_TEST(a_posted_function_runs_on_the_rank) {
  const am::rank_executor me;
  const std::thread::id mine = std::this_thread::get_id();
  am::rank_t where = -1;
  std::thread::id thread;
  beside([&] { where = me.post([&] { return thread = std::this_thread::get_id(), am::rank(); }).get(); });
  EXPECT_EQ(where, am::rank());
  EXPECT(thread == mine);
}

RANK_TEST(a_posted_function_may_wait) {
  const am::rank_executor me;
  int sum = 0;
  beside([&] {
    sum = me.post([] {
              am::sleep_for(1ms);
              return am::call(am::ranks() - 1, [](int x) { return x + 1; }, 41).get();
            }).get();
  });
  EXPECT_EQ(sum, 42);
  am::barrier();
}

RANK_TEST(another_rank_is_called_with_arguments) {
  const am::rank_executor me;
  const am::rank_t next = (am::rank() + 1) % am::ranks();
  std::string said;
  beside([&] { said = me.post(next, [](std::string s) { return s + std::to_string(am::rank()); }, std::string("rank ")).get(); });
  EXPECT_EQ(said, "rank " + std::to_string(next));
  am::barrier();
}

RANK_TEST(what_a_posted_function_throws_its_future_throws) {
  const am::rank_executor me;
  const am::rank_t last = am::ranks() - 1;
  std::future<void> mine, theirs;
  beside([&] {
    mine = me.post([] { throw std::logic_error("mine"); });
    theirs = me.post(last, [] { throw std::logic_error("theirs"); });
    mine.wait(), theirs.wait();
  });
  EXPECT_THROWS_SAYING(std::logic_error, "mine", mine.get());
  EXPECT_THROWS_SAYING(am::remote_error, "theirs", theirs.get());
  am::barrier();
}

RANK_TEST(functions_of_one_thread_start_in_their_order) {
  const am::rank_executor me;
  std::vector<int> order;
  beside([&] {
    std::future<void> end;
    for (int i = 0; i < 1000; ++i) end = me.post([&order, i] { order.push_back(i); });
    end.get();
  });
  EXPECT_EQ(order.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(order[std::size_t(i)], i);
}

RANK_TEST(many_threads_post_at_once) {
#ifdef __SANITIZE_THREAD__
  constexpr int each = 200;  // of a fiber each, of which it allows few
#else
  constexpr int each = 2000;
#endif
  const am::rank_executor me;
  long sum = 0;
  std::atomic<int> ended = 0;
  std::vector<std::thread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([&] {
      for (int i = 0; i < each;) try {
          me.post([&sum] { ++sum; });
          ++i;
        } catch (const am::limit_error&) { std::this_thread::yield(); }
      ++ended;
    });
  while (ended < 4) am::poll();
  for (std::thread& t : all) t.join();
  beside([&] { me.post([] {}).get(); });
  EXPECT_EQ(sum, 4 * each);
}

RANK_TEST(a_rank_that_sleeps_is_woken) {
  const am::rank_executor me;
  const am::outside_event expected;
  am::barrier();
  am::sync_var<int> heard;
  std::thread other([&] {
    std::this_thread::sleep_for(20ms);
    me.post([&heard] { heard.write(3); });
  });
  EXPECT_EQ(heard.read(), 3);
  other.join();
  am::barrier();
}

#ifndef __SANITIZE_THREAD__  // which allows few fibers
RANK_TEST(a_rank_that_does_not_poll_refuses_what_is_too_much) {
  const am::rank_executor me;
  int ran = 0;
  std::string said;
  std::thread other([&] {
    for (int i = 0; i < 4096; ++i) me.post([&ran] { ++ran; });
    try {
      me.post([&ran] { ++ran; });
    } catch (const am::limit_error& e) { said = e.what(); }
  });
  other.join();
  EXPECT(said.find("4096 functions that were posted to the rank have not ended") != std::string::npos);
  EXPECT_EQ(ran, 0);
  while (ran < 4096) am::poll();
}
#endif

RANK_TEST(a_process_has_one_rank_to_post_to) {
  std::string said;
  beside([&] {
    try {
      said = std::to_string(am::post([] { return am::rank(); }).get());
    } catch (const am::usage_error& e) { said = e.what(); }
  });
  if (am::fabric() == "threads")
    EXPECT(said.find("a rank_executor that is made on the rank") != std::string::npos);
  else
    EXPECT_EQ(said, std::to_string(am::rank()));
}
