// SPDX-License-Identifier: Apache-2.0
// Coroutines that await answers, and loops whose iterations wait for other ranks.
#include <string>
#include <vector>

#include <armilla/await.hpp>
#include <armilla/parfor.hpp>
#include <armilla/task.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }
int square(int x) { return x * x; }

am::task<int> square_there(int x) { co_return co_await am::call<&square>(next(), x); }

am::task<int> sum_of_squares(int n) {
  std::vector<am::future<int>> asked;
  for (int i = 1; i <= n; ++i) asked.push_back(am::call<&square>(next(), i));
  int sum = 0;
  for (auto& f : asked) sum += co_await f;
  co_return sum + co_await square_there(0);
}

RANK_TEST(a_coroutine_awaits_answers) {
  EXPECT_EQ(square_there(7).get(), 49);
  EXPECT_EQ(sum_of_squares(10).get(), 385);
  EXPECT_EQ(am::spawn_task(sum_of_squares(3)).join(), 14);
  EXPECT_EQ([]() -> am::task<int> { co_return co_await am::make_future(3); }().get(), 3);
}

RANK_TEST(many_coroutines_await_at_a_time) {
  std::vector<am::task<int>> all;
  for (int i = 0; i < 1000; ++i) all.push_back(square_there(i)), all.back().start();
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(all[std::size_t(i)].get(), i * i);
}

RANK_TEST(what_a_body_throws_arrives_where_it_is_awaited) {
  const auto work = []() -> am::task<std::string> {
    try {
      co_await am::call(next(), [] { throw std::runtime_error("far"); });
    } catch (const am::remote_error& e) { co_return e.text(); }
    co_return "";
  };
  EXPECT_EQ(work().get(), "far");
}

RANK_TEST(a_coroutine_may_wait_with_its_stack_as_well) {
  const auto work = []() -> am::task<int> {
    const int first = co_await am::call<&square>(next(), 3);
    const int second = am::call<&square>(next(), first).get();
    co_return second + co_await am::call<&square>(next(), 1);
  };
  EXPECT_EQ(work().get(), 82);
}

RANK_TEST(a_coroutine_and_a_fiber_await_one_answer) {
  static thread_local bool may_answer;
  may_answer = false;
  am::barrier();
  auto f = am::call(next(), [] {
    while (!may_answer) am::yield();
    return 7;
  });
  auto waits = am::spawn([&] { f.wait(); });
  am::yield();
  const auto work = [](am::future<int>& asked) -> am::task<int> { co_return co_await asked; };
  auto awaits = am::spawn_task(work(f));
  am::yield();
  am::async(next(), [] { may_answer = true; });
  EXPECT_EQ(awaits.join(), 7);
  waits.join();
  am::barrier();
}

RANK_TEST(a_body_runs_a_coroutine) {
  EXPECT_EQ(am::call(next(), [] { return sum_of_squares(4).get(); }).get(), 30);
}

am::per_rank<int> done_here;
am::task<> note_later(am::rank_t where) {
  co_await am::call(where, [] {});
  co_await am::call(where, [] { ++*done_here; });
}

RANK_TEST(the_fence_waits_for_the_coroutines_that_bodies_left_behind) {
  *done_here = 0;
  am::barrier();
  for (int i = 0; i < 10; ++i) am::async(next(), [](am::rank_t to) { note_later(to).start(); }, am::rank());
  am::fence();
  EXPECT_EQ(*done_here, 10);
}

RANK_TEST(iterations_that_ask_other_ranks_overlap) {
  std::vector<int> squares(100);
  am::parfor(0, 100, [&](int i) { squares[std::size_t(i)] = am::call<&square>(next(), i).get(); });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(squares[std::size_t(i)], i * i);
  // in a body, and with loops in loops
  const int sum =
      am::call(next(), [] {
        int total = 0;
        am::parfor(0, 5, [&](int i) { am::parfor(0, 5, [&](int j) { total += am::call<&square>(next(), i * j).get(); }); });
        return total;
      }).get();
  EXPECT_EQ(sum, 900);
}

RANK_TEST(blocks_that_ask_other_ranks_overlap) {
  int a = 0, b = 0;
  am::par([&] { a = am::call<&square>(next(), 2).get(); }, [&] { b = am::call<&square>(next(), 3).get(); });
  EXPECT_EQ(a + b, 13);
}

}  // namespace
