// SPDX-License-Identifier: Apache-2.0
// Fibers of a rank's own code that wait, and poll, beside each other.
#include <vector>

#include <armilla/parfor.hpp>
#include <armilla/spawn.hpp>
#include <armilla/sync_var.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

am::per_rank<long> ran;
am::per_rank<am::sync_var<int>*> gate_here;

RANK_TEST(fibers_of_a_rank_ask_at_the_same_time) {
  std::vector<am::fiber<long>> all;
  for (int i = 0; i < 50; ++i)
    all.push_back(am::spawn(
        [](int n) {
          long sum = 0;
          for (int k = 0; k < 20; ++k) sum += am::call(k % am::ranks(), [](int a) { return long(a); }, n).get();
          return sum;
        },
        i));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(all[std::size_t(i)].join(), 20L * i);
}

RANK_TEST(a_timed_wait_ends_among_other_fibers) {
  am::sync_var<int> gate;
  *gate_here = &gate;
  am::barrier();
  auto other = am::spawn([] { am::call(next(), [] {}).get(); });
  auto f = am::call(next(), [] { return (*gate_here)->get(); });
  EXPECT(!f.wait_for(std::chrono::milliseconds(2)));
  am::async(next(), [] { **gate_here = 5; });
  EXPECT_EQ(f.get(), 5);
  other.join();
  am::barrier();
}

RANK_TEST(fibers_wait_for_one_answer_and_one_gives_up) {
  am::sync_var<int> gate;
  *gate_here = &gate;
  am::barrier();
  auto answer = am::call(next(), [] { return (*gate_here)->get(); });
  auto patient = am::spawn([&] { answer.wait(); });
  auto hasty = am::spawn([&] { return answer.wait_for(std::chrono::milliseconds(1)); });
  auto last = am::spawn([&] { answer.wait(); });
  EXPECT(!hasty.join());
  am::async(next(), [] { **gate_here = 3; });
  patient.join();
  last.join();
  EXPECT_EQ(answer.get(), 3);
  am::barrier();
}

// Answers 7 when it is told to.
thread_local bool may_answer;
int answer_when_told() {
  while (!may_answer) am::yield();
  return 7;
}
void tell() { may_answer = true; }
am::future<int> ask() {
  may_answer = false;
  am::barrier();
  return am::call<&answer_when_told>(next());
}

RANK_TEST(a_continuation_lets_a_fiber_go_on_that_waits_for_the_same_answer) {
  am::future<int> f = ask();
  auto waits = am::spawn([&] { f.wait(); });
  auto gets = am::spawn([&] { EXPECT_THROWS_SAYING(am::usage_error, "the future is empty", f.get()); });
  am::yield();
  auto g = f.then([](int x) { return x + 1; });
  am::async<&tell>(next());
  EXPECT_EQ(g.get(), 8);
  waits.join();
  gets.join();
  am::barrier();
}

RANK_TEST(one_of_two_fibers_gets_the_answer) {
  am::future<int> f = ask();
  int got = 0, refused = 0;
  const auto get = [&] {
    try {
      got += f.get();
    } catch (const am::usage_error&) { ++refused; }
  };
  auto one = am::spawn(get), other = am::spawn(get);
  am::yield();
  am::async<&tell>(next());
  one.join();
  other.join();
  EXPECT_EQ(got, 7);
  EXPECT_EQ(refused, 1);
  am::barrier();
}

RANK_TEST(a_fiber_waits_on_when_its_future_gets_another_two_way_call) {
  am::future<int> f = ask();
  auto waits = am::spawn([&] { return f.get(); });
  am::yield();
  f = am::call(next(), [] { return 5; });
  EXPECT_EQ(waits.join(), 5);
  am::async<&tell>(next());
  am::fence();
}

RANK_TEST(an_iteration_polls_for_what_a_later_one_does) {
  bool done = false;
  am::parfor(0, 2, [&](int i) {
    if (i == 1) done = true;
    while (!done) am::poll();
  });
  EXPECT(done);
}

RANK_TEST(a_poll_says_what_came_not_who_runs) {
  bool over = false;
  auto other = am::spawn([&] {
    while (!over) am::yield();
  });
  while (am::poll()) {}
  am::call(am::rank(),
           [] {  // in a body that has waited, too
             am::yield();
             while (am::poll()) {}
           })
      .get();
  over = true;
  other.join();
  am::barrier();
}

// A body that yields leaves its frame; the next poll finishes that, and what came behind it is still there.
RANK_TEST(polls_go_on_until_nothing_has_come) {
  *ran = 0;
  am::async(am::rank(), [] { am::yield(); });
  am::flush();
  am::async(am::rank(), [] { ++*ran; });
  am::flush();
  while (am::poll()) {}
  EXPECT_EQ(*ran, 1);
  am::barrier();
}

RANK_TEST(a_fiber_that_polls_lets_another_wait_for_a_counter) {
  am::counter arrived;
  bool over = false;
  auto polls = am::spawn([&] {
    am::to_global(&arrived).signal();
    while (!over) am::poll();
  });
  arrived.wait();
  over = true;
  polls.join();
  am::barrier();
}

RANK_TEST(a_fiber_that_polls_lets_another_wait_for_some_time) {
  bool over = false;
  am::future<int> f = ask();
  auto polls = am::spawn([&] {
    while (!over) am::poll();
  });
  EXPECT(!f.wait_for(std::chrono::milliseconds(1)));
  over = true;
  polls.join();
  am::async<&tell>(next());
  EXPECT_EQ(f.get(), 7);
  am::fence();
}

}  // namespace
