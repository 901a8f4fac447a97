// SPDX-License-Identifier: Apache-2.0
// Polls that do no more for others than they are allowed to, and polls at every n-th communication call.
#include <chrono>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "armilla/fabric/host_map.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;
using namespace std::chrono_literals;

namespace {

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }
bool near(am::rank_t r) { return !am::detail::current->host->far[std::size_t(r)]; }

// What bodies of this rank have done; ranks may be threads.
thread_local long ran = 0;
thread_local std::vector<int> order;
thread_local std::vector<int> of_source;

void note(int n) { ++ran, order.push_back(n); }
int answer(int n) { return ++ran, n + 1; }
void note_text(const std::string& s) { ++ran, order.push_back(int(s.size())); }
void note_message(am::sender, int n) { note(n); }
void note_payload(am::sender, int n, std::span<const std::byte> bytes) { note(n + int(bytes.size()) * 0); }
void fails(int n) {
  note(n);
  throw std::runtime_error("on purpose");
}
void waits(int n) {
  note(n);
  am::call(am::rank(), [] {}).get();
}
inline constexpr am::method<void(int)> note_by_name{"poll_test.note"};
inline constexpr am::method<int(int)> answer_by_name{"poll_test.answer"};

// `n` of the work that `send(i)` sends to this rank itself is there, and nothing has run.
template <class Send>
void queue_here(int n, Send send) {
  ran = 0;
  order.clear();
  for (int i = 0; i < n; ++i) send(i);
  am::flush();
  EXPECT_EQ(ran, 0);
}

// Takes in all of `n` in steps of at most `step`, and each does something.
void take_in_steps(long n, long step) {
  for (int polls = 0; ran < n && polls < 1000; ++polls) {
    const long before = ran;
    EXPECT(am::poll({.bodies = std::uint64_t(step)}));
    EXPECT(ran - before <= step);
    EXPECT(ran > before);
  }
  EXPECT_EQ(ran, n);
}

void expect_order(int n) {
  EXPECT_EQ(order.size(), std::size_t(n));
  for (int i = 0; i < n && i < int(order.size()); ++i) EXPECT_EQ(order[std::size_t(i)], i);
}

RANK_TEST(a_poll_begins_no_more_one_way_calls_than_its_budget) {
  queue_here(100, [](int i) { am::async<&note>(am::rank(), i); });
  take_in_steps(100, 7);
  expect_order(100);
}

RANK_TEST(a_poll_begins_no_more_two_way_calls_than_its_budget) {
  std::vector<am::future<int>> asked;
  queue_here(50, [&](int i) {
    am::batch together;
    asked.push_back(am::call<&answer>(am::rank(), i));
  });
  take_in_steps(50, 3);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(asked[std::size_t(i)].get(), i + 1);
}

RANK_TEST(two_way_calls_that_travel_together_are_counted_one_by_one) {
  std::vector<am::future<int>> asked;
  ran = 0;
  {
    am::batch together;
    for (int i = 0; i < 50; ++i) asked.push_back(am::call<&answer>(am::rank(), i));
  }
  take_in_steps(50, 3);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(asked[std::size_t(i)].get(), i + 1);
}

RANK_TEST(bodies_of_every_kind_are_counted) {
  queue_here(40, [](int i) { am::async<&note_text>(am::rank(), std::string(std::size_t(i), 'x')); });
  take_in_steps(40, 3);
  expect_order(40);
  queue_here(40, [](int i) { am::request<note_message>(am::rank(), i); });
  take_in_steps(40, 3);
  expect_order(40);
  queue_here(40, [](int i) { am::async(am::rank(), am::to_completion<&note>(), i); });
  take_in_steps(40, 3);
  expect_order(40);
  queue_here(40, [](int i) { am::async<&waits>(am::rank(), i); });
  take_in_steps(40, 3);
  expect_order(40);
  am::fence();
  if (!near(am::rank())) return;  // a network takes its time for these
  queue_here(6, [](int i) { am::async<&note_text>(am::rank(), std::string(100000 + std::size_t(i), 'x')); });
  take_in_steps(6, 1);
}

RANK_TEST(calls_by_name_are_counted) {
  am::provide<note_by_name, &note>();
  am::provide<answer_by_name, &answer>();
  am::barrier();
  am::call<answer_by_name>(am::rank(), 1).get();
  am::async<note_by_name>(am::rank(), 0);
  am::fence();
  queue_here(40, [](int i) { am::async<note_by_name>(am::rank(), i); });
  take_in_steps(40, 3);
  expect_order(40);
  std::vector<am::future<int>> asked;
  queue_here(40, [&](int i) {
    am::batch together;
    asked.push_back(am::call<answer_by_name>(am::rank(), i));
  });
  take_in_steps(40, 3);
  for (auto& f : asked) f.get();
  am::fence();
}

// Items of active messages with payloads differ in length; those that share a frame are one.
RANK_TEST(active_messages_with_payloads_are_counted_by_frame) {
  am::set_aggregation(0);
  const std::byte bytes[24]{};
  queue_here(10, [&](int i) { am::request<note_payload>(am::rank(), std::span<const std::byte>(bytes), i); });
  take_in_steps(10, 2);
  expect_order(10);
  am::set_aggregation(4096);
}

RANK_TEST(a_body_that_throws_counts_like_any_other) {
  queue_here(20, [](int i) { am::async<&fails>(am::rank(), i); });
  take_in_steps(20, 3);
  expect_order(20);
  EXPECT_THROWS(am::remote_error, am::fence());
}

RANK_TEST(a_wait_finishes_what_a_poll_has_left) {
  queue_here(100, [](int i) { am::async<&note>(am::rank(), i); });
  am::poll({.bodies = 10});
  EXPECT_EQ(ran, 10);
  am::wait_for_message();
  EXPECT_EQ(ran, 100);
  queue_here(100, [](int i) { am::async<&note>(am::rank(), i); });
  am::poll({.bodies = 10});
  am::fence();
  expect_order(100);
}

RANK_TEST(a_budget_of_nothing_begins_no_body_and_lets_answers_in) {
  if (am::rank() != 0) return;
  queue_here(10, [](int i) { am::async<&note>(am::rank(), i); });
  for (int i = 0; i < 10; ++i) am::poll({.bodies = 0});
  EXPECT(!am::poll({.time = 0ns}));
  EXPECT_EQ(ran, 0);
  if (am::ranks() > 1) {
    auto f = am::call(next(), [] { return 41; });
    while (!f.ready()) am::poll({.bodies = 0});
    EXPECT_EQ(f.get(), 41);
  }
  am::poll({.bodies = 100, .time = 1h});
  EXPECT_EQ(ran, 10);
}

// What is left of a frame bars what its sender sends later, and nothing else.
RANK_TEST(a_frame_half_begun_bars_no_answer_of_another_rank) {
  if (am::rank() != 0 || am::ranks() == 1) return;
  queue_here(10, [](int i) { am::async<&note>(am::rank(), i); });
  while (ran == 0) am::poll({.bodies = 3});
  EXPECT_EQ(ran, 3);
  auto f = am::call(next(), [] { return 41; });
  while (!f.ready()) am::poll({.bodies = 0});
  EXPECT_EQ(f.get(), 41);
  EXPECT_EQ(ran, 3);
  take_in_steps(10, 3);
  expect_order(10);
}

RANK_TEST(a_frame_whose_body_waits_bars_no_answer_of_another_rank) {
  if (am::rank() != 0 || am::ranks() == 1) return;
  queue_here(10, [](int i) { am::async<&waits>(am::rank(), i); });
  am::poll({.bodies = 3});
  const long begun = ran;
  EXPECT(begun >= 1 && begun <= 3);
  auto f = am::call(next(), [] { return 41; });
  while (!f.ready()) am::poll({.bodies = 0});
  EXPECT_EQ(ran, begun);
  take_in_steps(10, 3);
  expect_order(10);
}

// Also over a network, where a frame has no ring to stay in.
RANK_TEST(a_frame_of_another_rank_that_is_half_begun_bars_no_third_one) {
  ran = 0;
  order.clear();
  am::fence();
  if (am::rank() == 0 && am::ranks() > 2) {
    // Asked for, since rank 1 may leave the fence while this one still takes in what comes there.
    am::async(1, am::urgent([] {
                for (int i = 0; i < 10; ++i) am::async<&note>(0, i);
              }));
    while (ran == 0) am::poll({.bodies = 3});
    EXPECT_EQ(ran, 3);
    auto third = am::call(2, [] { return 42; });
    while (!third.ready()) am::poll({.bodies = 0});
    EXPECT_EQ(ran, 3);
    auto same = am::call(1, [] { return 41; });
    for (int i = 0; i < 1000; ++i) am::poll({.bodies = 0});
    EXPECT(!same.ready());  // its answer comes behind the one-way calls
    EXPECT_EQ(same.get(), 41);
    expect_order(10);
  }
  am::fence();
}

RANK_TEST(a_long_answer_is_no_body) {
  if (am::rank() == 0 && am::ranks() > 1) {
    auto f = am::call(next(), [] { return std::vector<int>(100000, 7); });
    while (!f.ready()) am::poll({.bodies = 0});
    EXPECT_EQ(f.get().size(), std::size_t(100000));
  }
  am::fence();
}

RANK_TEST(a_long_one_way_call_waits_for_a_poll_with_bodies_to_spare) {
  ran = 0;
  am::fence();
  if (am::rank() == 0 && am::ranks() > 1) {
    // Asked for, since rank 1 may leave the fence while this one still takes in what comes there.
    am::async(1, am::urgent([] { am::async<&note_text>(0, std::string(100000, 'x')); }));
    for (int i = 0; i < 10000; ++i) am::poll({.bodies = 0});
    EXPECT_EQ(ran, 0);
    while (ran == 0) am::poll({.bodies = 1});
    EXPECT_EQ(ran, 1);
  }
  am::fence();
}

RANK_TEST(no_body_begins_when_the_time_is_over) {
  queue_here(5, [](int i) {
    am::async(
        am::rank(),
        [](int n) {
          note(n);
          const auto end = std::chrono::steady_clock::now() + 25ms;  // longer than the budget of the poll
          while (std::chrono::steady_clock::now() < end) {}
        },
        i);
  });
  for (int polls = 0; ran < 5 && polls < 1000; ++polls) {
    const long before = ran;
    am::poll({.time = 20ms});
    EXPECT(ran - before <= 1);
  }
  expect_order(5);
}

RANK_TEST(what_other_ranks_send_is_counted) {
  ran = 0;
  am::barrier();
  for (int i = 0; i < 500; ++i) am::async<&note>(next(), i);
  am::flush();
  while (ran < 500) {
    const long before = ran;
    am::poll({.bodies = 3});
    EXPECT(ran - before <= 3);
  }
  am::fence();
  EXPECT_EQ(ran, 500);
}

am::per_rank<int> sent;

// One body a poll: no rank's second one comes before each has had its first.
RANK_TEST(ranks_take_turns) {
  if (!near(next()) || !near((am::rank() + am::ranks() - 1) % am::ranks())) return;  // the same everywhere
  of_source.assign(std::size_t(am::ranks()), 0);
  *sent = 0;
  am::barrier();
  if (am::rank() != 0) {
    am::set_aggregation(0);
    for (int i = 0; i < 20; ++i) am::async(0, [](am::rank_t from) { ++of_source[std::size_t(from)]; }, am::rank());
    am::set_aggregation(4096);
    *sent.on(am::rank()) = 1;
  } else {
    for (am::rank_t r = 1; r < am::ranks(); ++r)
      while (*sent.on(r) == 0) {}
    for (int turn = 1; turn <= 5; ++turn) {
      for (am::rank_t r = 1; r < am::ranks(); ++r) am::poll({.bodies = 1});
      for (am::rank_t r = 1; r < am::ranks(); ++r) EXPECT_EQ(of_source[std::size_t(r)], turn);
    }
  }
  am::fence();
}

// Each poll of such a rank ends at what that has sent to itself, in front of all that others send.
RANK_TEST(a_rank_that_sends_to_itself_between_polls_serves_all_others) {
  const std::vector<void (*)()> ways = {
      [] { am::async(am::rank(), [] {}), am::poll(); },
      [] { am::async(am::rank(), [] { am::yield(); }), am::poll(); },
      [] { am::call(am::rank(), [] {}).get(); },
  };
  for (const auto& send_to_itself : ways) {
    ran = 0;
    am::barrier();
    if (am::rank() != 0) {
      EXPECT_EQ(am::call(0, answer, 1).get(), 2);
    } else {
      const auto until = std::chrono::steady_clock::now() + 20s;
      while (ran < am::ranks() - 1 && std::chrono::steady_clock::now() < until) send_to_itself();
      EXPECT_EQ(ran, am::ranks() - 1);
    }
    am::fence();
  }
}

RANK_TEST(a_poll_inside_a_body_is_no_poll) {
  const bool any = am::call(am::rank(), [] { return am::poll({.bodies = 10}); }).get();
  EXPECT(!any);
}

RANK_TEST(a_budget_that_cannot_be_is_named) {
  EXPECT_THROWS(am::usage_error, am::poll({.time = -1ns}));
  EXPECT_THROWS(am::usage_error, am::set_poll_budget({.time = -1ns}));
  EXPECT_THROWS(am::usage_error, am::set_poll_budget({.bodies = 0}));
}

// Counts down to the polls of the program's own calls: they begin no more than the budget.
RANK_TEST(polls_that_nobody_asked_for_have_a_budget) {
  am::set_poll_budget({.bodies = 2});
  queue_here(20, [](int i) { am::async<&note>(am::rank(), i); });
  am::set_poll_every(1);
  const auto unanswered = am::call(am::rank(), [] {});
  EXPECT_EQ(ran, 2);
  am::set_poll_every(0);
  am::set_poll_budget({});
  am::fence();
  expect_order(20);
}

// A rank that waits for credit polls by nothing else: both would wait for ever.
RANK_TEST(a_budget_of_time_that_is_over_at_once_lets_one_body_begin) {
  ran = 0;
  am::fence();
  am::set_poll_budget({.time = 1ns});
  const int many = 20'000;
  for (int i = 0; i < many; ++i) am::async((am::rank() + 1) % am::ranks(), [](int, long, long, long) { ++ran; }, i, 1L, 2L, 3L);
  am::fence();
  am::set_poll_budget({});
  EXPECT_EQ(ran, many);
}

RANK_TEST(a_budget_is_not_one_of_the_fibers_that_go_on_meanwhile) {
  queue_here(20, [](int i) { am::async<&note>(am::rank(), i); });
  auto spares = am::spawn([] { am::poll({.bodies = 0}); });
  am::yield();  // it polls, and lets this one go on
  while (am::poll()) {}
  expect_order(20);
  spares.join();
  am::fence();
}

// ---- random steps ----

thread_local std::vector<int> begun_of;  // by rank: so many of its one-way calls have begun
thread_local int out_of_turn = 0;

void begins(am::rank_t from, int n) {
  if (begun_of[std::size_t(from)]++ != n) ++out_of_turn;
}
void begins_with_text(am::rank_t from, int n, const std::string&) { begins(from, n); }
void begins_and_waits(am::rank_t from, int n) {
  begins(from, n);
  am::call(from, [] {}).get();
}

RANK_TEST(one_way_calls_taken_in_by_random_steps_begin_in_their_order) {
  std::minstd_rand chance(unsigned(am::rank() + 1));
  const auto one_of = [&](int n) { return int(chance() % unsigned(n)); };
  begun_of.assign(std::size_t(am::ranks()), 0);
  out_of_turn = 0;
  am::fence();
  std::vector<int> told(std::size_t(am::ranks()), 0);
  std::vector<am::future<int>> asked;
  for (int i = 0; i < 3000; ++i) {
    const am::rank_t to = one_of(am::ranks());
    int& n = told[std::size_t(to)];
    switch (one_of(8)) {
      case 0: am::async<&begins_with_text>(to, am::rank(), n++, std::string(std::size_t(one_of(300)), 'x')); break;
      case 1: am::async<&begins_and_waits>(to, am::rank(), n++); break;
      case 2: am::request<[](am::sender from, int k) { begins(from.rank(), k); }>(to, n++); break;
      case 3: am::poll({.bodies = std::uint64_t(one_of(4))}); break;
      case 4: asked.push_back(am::call<&answer>(to, i)); break;
      case 5: am::flush(); break;
      case 6:
        if (!asked.empty() && one_of(4) == 0)
          for (auto& f : std::exchange(asked, {})) f.get();
        break;
      default: am::async<&begins>(to, am::rank(), n++);
    }
  }
  asked.clear();
  am::fence();
  EXPECT_EQ(out_of_turn, 0);
  const auto sum = [](const std::vector<int>& of) { return std::accumulate(of.begin(), of.end(), 0L); };
  const auto plus = [](long a, long b) { return a + b; };
  EXPECT_EQ(am::all_reduce(sum(begun_of), plus), am::all_reduce(sum(told), plus));
}

// ---- the poll at every n-th communication call ----

// Whether `act`, repeated, polls: what waits here runs.
template <class Act>
bool polls(Act act) {
  queue_here(1, [](int i) { am::async<&note>(am::rank(), i); });
  am::set_poll_every(4);
  for (int i = 0; i < 4; ++i) act();
  am::set_poll_every(0);
  const bool any = ran != 0;
  am::fence();
  return any;
}

void nothing() {}
void no_message(am::sender) {}

RANK_TEST(every_nth_one_way_call_or_call_polls) {
  EXPECT(polls([] { am::async<&nothing>(am::rank()); }));
  EXPECT(polls([] { am::request<no_message>(am::rank()); }));
  std::vector<am::future<void>> asked;
  EXPECT(polls([&] { asked.push_back(am::call<&nothing>(am::rank())); }));
  for (auto& f : asked) f.get();
  asked.clear();
}

RANK_TEST(every_nth_transfer_polls) {
  long values[64]{};
  const am::global_ptr<long> place = am::allocate<long>(64);
  EXPECT(polls([&] { am::put(place, values); }));
  EXPECT(polls([&] { am::get(values, place); }));
  EXPECT(polls([&] { am::put(place, values[0]); }));
  EXPECT(polls([&] { am::get(values[0], place); }));
  EXPECT(polls([&] { am::store(place, values[0]); }));
  EXPECT(polls([&] { *place = 7; }));
  EXPECT(polls([&] { values[1] = *place; }));
  EXPECT_EQ(values[1], 7);
  EXPECT(polls([&] { am::atomic_add(place, 1); }));
  EXPECT_EQ(*place, 11);
  am::all_store_sync();
  am::deallocate(place);
}

RANK_TEST(every_nth_collective_polls) {
  const am::team alone = am::world().split(am::rank());  // where no other rank is waited for
  EXPECT(polls([&] { alone.all_reduce(1, [](int a, int b) { return a + b; }); }));
}

thread_local bool told = false;

RANK_TEST(a_poll_at_the_door_of_a_collective_lets_no_two_fibers_in) {
  if (am::ranks() == 1) return;
  told = false;
  am::fence();
  if (am::rank() == 0) {
    int refused = 0;
    const auto enter = [&] {
      try {
        am::barrier();
      } catch (const am::usage_error&) {
        ++refused;
        am::async_all([] { told = true; });
      }
    };
    auto other = am::spawn(enter);
    am::set_poll_every(1);
    enter();
    am::set_poll_every(0);
    other.join();
    EXPECT_EQ(refused, 1);
  } else {
    while (!told) am::poll();
    am::barrier();
  }
  am::fence();
}

}  // namespace
