// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/armilla.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;
using namespace std::literals;

namespace {

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }
double square(double x) { return x * x; }
int thrower(int n) {
  if (n > 2) throw std::out_of_range("n is " + std::to_string(n));
  return n;
}
struct record_of_many {
  std::string name;
  std::vector<int> values;
  std::map<int, std::string> names;
  bool operator==(const record_of_many&) const = default;
};
struct mute : std::exception {
  const char* what() const noexcept override { return nullptr; }
};
thread_local long tally = 0;

}  // namespace

RANK_TEST(a_two_way_call_is_answered) {
  EXPECT_EQ(am::call(next(), [](double x) { return x * x; }, 3.0).get(), 9.0);
}

RANK_TEST(each_answer_counts_once) {
  const auto answers_to = [](auto body, int n) {
    am::barrier();
    const std::uint64_t before = am::stats().replies_sent;
    am::barrier();
    std::vector<decltype(am::call(0, body))> asked;
    {
      const am::batch together;
      for (int i = 0; i < n; ++i) asked.push_back(am::call(next(), body));
    }
    for (auto& f : asked) f.wait();
    am::barrier();
    return am::stats().replies_sent - before;
  };
  EXPECT_EQ(answers_to([] { return 1; }, 10), 10u);
  EXPECT_EQ(answers_to([] {}, 10), 10u);
  EXPECT_EQ(answers_to([] { return std::string("text"); }, 10), 10u);
  EXPECT_EQ(answers_to([]() -> int { throw std::runtime_error("none"); }, 10), 10u);
  EXPECT_THROWS_SAYING(am::remote_error, "none", am::fence());  // their errors were not taken
  EXPECT_EQ(answers_to([] { return 1; }, 1), 1u);
}

namespace {

/// The answers to a row of two-way calls to the next rank: its numbers, where `body` gives them back.
template <class F>
std::vector<am::future<int>> row_of_two_way_calls(F body, int n) {
  std::vector<am::future<int>> asked;
  const am::batch together;
  for (int i = 0; i < n; ++i) asked.push_back(am::call(next(), body, i));
  return asked;
}

}  // namespace

RANK_TEST(behind_a_body_that_throws_the_other_two_way_calls_of_a_row_are_answered) {
  auto asked = row_of_two_way_calls(
      [](int n) {
        if (n % 10 == 3) throw std::runtime_error("three");
        return n;
      },
      3000);  // more than one frame
  for (int i = 0; i < 3000; ++i)
    if (i % 10 == 3)
      EXPECT_THROWS(am::remote_error, (void)asked[std::size_t(i)].get());
    else
      EXPECT_EQ(asked[std::size_t(i)].get(), i);
}

RANK_TEST(behind_a_body_that_waits_the_other_two_way_calls_of_a_row_are_answered) {
  auto asked = row_of_two_way_calls(
      [](int n) {
        if (n % 10 == 3) am::call(next(), [] {}).get();
        return n;
      },
      3000);
  for (int i = 0; i < 3000; ++i) EXPECT_EQ(asked[std::size_t(i)].get(), i);
}

RANK_TEST(a_row_of_two_way_calls_without_results_is_answered) {
  tally = 0;
  am::barrier();
  std::vector<am::future<void>> asked;
  {
    const am::batch together;
    for (int i = 0; i < 3000; ++i) asked.push_back(am::call(next(), [] { ++tally; }));
  }
  for (auto& f : asked) f.get();
  am::barrier();
  EXPECT_EQ(tally, 3000);
}

RANK_TEST(a_closure_carries_what_it_captured) {
  int a = 5;
  double b = 2.5;
  EXPECT_EQ(am::call(next(), [a, b](int c) { return a * b + c; }, 1).get(), 13.5);
}

RANK_TEST(function_pointers_and_named_functions_can_be_called) {
  EXPECT_EQ(am::call(next(), square, 3).get(), 9.0);
  EXPECT_EQ(am::call(next(), &square, 4.0).get(), 16.0);
  EXPECT_EQ(am::call<square>(next(), 5.0).get(), 25.0);
  double (*null)(double) = nullptr;
  EXPECT_THROWS(am::usage_error, am::call(next(), null, 1.0));
}

RANK_TEST(arguments_and_results_of_any_sendable_type_travel) {
  const record_of_many sent{"name"s, {1, 2, 3}, {{1, "one"s}, {2, std::string(300, 'z')}}};
  auto back = am::call(
                  next(),
                  [](const record_of_many& r, std::vector<std::string> v) {
                    record_of_many copy = r;
                    for (const auto& s : v) copy.name += s;
                    return copy;
                  },
                  sent, std::vector<std::string>{"a", "b"})
                  .get();
  record_of_many expected = sent;
  expected.name += "ab";
  EXPECT(back == expected);
}

RANK_TEST(large_arguments_and_results_travel) {
  for (std::size_t n : {100u, 1999u, 2047u, 2048u, 2049u, 10000u, 500000u}) {
    std::vector<double> sent(n, 1.5);
    sent.back() = 7;
    const auto back = am::call(
                          next(),
                          [](std::vector<double> v) {
                            v[0] = 3;
                            return v;
                          },
                          sent)
                          .get();
    sent[0] = 3;
    EXPECT(back == sent);
  }
}

RANK_TEST(a_view_is_read_in_place) {
  std::vector<double> numbers(100000, 2.0);
  const double sum = am::call(
                         next(),
                         [](am::view<double> v) {
                           double s = 0;
                           for (double x : v) s += x;
                           return s;
                         },
                         am::view<double>(numbers))
                         .get();
  EXPECT_EQ(sum, 200000.0);
}

RANK_TEST(an_exception_of_the_body_arrives_with_rank_type_and_text) {
  EXPECT_EQ(am::call<thrower>(next(), 1).get(), 1);
  auto f = am::call<thrower>(next(), 5);
  try {
    (void)f.get();
    EXPECT(false);
  } catch (const am::remote_error& e) {
    EXPECT_EQ(e.rank(), next());
    EXPECT_EQ(std::string(e.type_name()), "std::out_of_range"s);
    EXPECT_EQ(std::string(e.text()), "n is 5"s);
  }
}

[[gnu::noinline]] int result_of_thrower(am::future<int> f) { return f.get() + 1; }

RANK_TEST(an_error_of_a_call_knows_who_asked_for_the_result) {
  for (const am::rank_t r : {am::rank(), next()}) {
    auto f = am::call<thrower>(r, 5);
    f.wait();
    try {
      result_of_thrower(std::move(f));
      EXPECT(false);
    } catch (const am::remote_error& e) { EXPECT(e.where().find("result_of_thrower(") != std::string::npos); }
  }
}

int ask_thrower(am::rank_t r) { return am::call<thrower>(r, 5).get(); }

RANK_TEST(an_exception_that_passes_through_a_rank_names_the_one_that_threw) {
  auto f = am::call<ask_thrower>(next(), am::rank());
  try {
    (void)f.get();
    EXPECT(false);
  } catch (const am::remote_error& e) {
    EXPECT_EQ(e.rank(), am::rank());
    EXPECT_EQ(std::string(e.text()), "n is 5"s);
  }
  if (am::rank() == 0) am::async<ask_thrower>(0, am::ranks() - 1);
  try {
    am::fence();
    EXPECT(false);
  } catch (const am::remote_error& e) { EXPECT_EQ(e.rank(), am::ranks() - 1); }
}

RANK_TEST(an_error_of_a_one_way_call_is_thrown_by_the_fence_on_every_rank) {
  if (am::rank() == 0) am::async(am::ranks() - 1, [](std::string s) { throw std::runtime_error(s); }, "lost"s);
  EXPECT_THROWS(am::remote_error, am::fence());
  am::fence();
}

RANK_TEST(an_exception_without_a_text_is_told_by_its_type) {
  const std::string its_rank = "rank " + std::to_string(am::ranks() - 1);
  EXPECT_THROWS_SAYING(am::remote_error, "mute (no text: its what() gives a null pointer); catch it",
                       am::call(next(), [] { throw mute(); }).get());
  EXPECT_THROWS_SAYING(am::remote_error, "threw int; catch it", am::call(next(), [] { throw 5; }).get());
  am::barrier();
  if (am::rank() == 0) am::async(am::ranks() - 1, [] { throw mute(); });
  EXPECT_THROWS_SAYING(am::remote_error,
                       "mute (no text: its what() gives a null pointer (in a one-way call of rank 0)); catch it", am::fence());
  if (am::rank() == 0) am::async(am::ranks() - 1, [] { throw 5; });
  EXPECT_THROWS_SAYING(am::remote_error, (its_rank + " threw int (in a one-way call of rank 0); catch it").c_str(), am::fence());
}

RANK_TEST(the_end_of_a_long_text_of_a_one_way_call_is_not_cut_off) {
  if (am::rank() == 0) am::async(am::ranks() - 1, [](int n) { throw std::runtime_error(std::string(n, '.') + "do this"); }, 500);
  EXPECT_THROWS_SAYING(am::remote_error, "do this", am::fence());
}

RANK_TEST(a_body_may_not_enter_a_collective) {
  auto g = am::call(next(), [] { am::barrier(); });
  EXPECT_THROWS(am::remote_error, g.get());
}

RANK_TEST(bodies_may_send_and_ask) {
  tally = 0;
  am::barrier();
  am::async(
      next(), [](am::rank_t back) { am::call(back, [](int n) { return n + 1; }, 4).then([](int n) { tally += n; }); },
      am::rank());
  am::fence();
  am::fence();
  EXPECT_EQ(tally, 5);
}

RANK_TEST(futures_tell_whether_they_are_ready) {
  auto f = am::call(next(), [] { return 1; });
  EXPECT(f.valid());
  f.wait();
  EXPECT(f.ready());
  EXPECT_EQ(f.get(), 1);
  EXPECT(!f.valid());
  EXPECT_THROWS(am::usage_error, (void)f.get());
}

RANK_TEST(a_timed_wait_ends) {
  auto never = am::detail::promise<int>::make("test");
  auto f = never.get_future();
  EXPECT(!f.wait_for(2ms));
  never.target->store<int>(3);
  never.target->complete(am::detail::pending_op::state_t::ready);
  EXPECT(f.wait_for(2ms));
  EXPECT_EQ(f.get(), 3);
}

RANK_TEST(then_runs_with_the_value_and_passes_errors_by) {
  auto f = am::call(next(), [] { return 20; }).then([](int n) { return n + 1; }).then([](int n) { return std::to_string(n); });
  EXPECT_EQ(f.get(), "21"s);
  bool ran = false;
  auto g = am::call<thrower>(next(), 9).then([&](int) { ran = true; });
  EXPECT_THROWS(am::remote_error, g.get());
  EXPECT(!ran);
  auto h = am::call(next(), [] {}).then([] { return am::call(am::rank(), [] { return 8; }); });
  EXPECT_EQ(h.get(), 8);
  EXPECT_EQ(am::make_future(4).then([](int n) { return 2 * n; }).get(), 8);
}

RANK_TEST(when_all_gathers_in_order) {
  std::vector<am::future<int>> futures;
  for (int i = 0; i < 300; ++i) futures.push_back(am::call(i % am::ranks(), [](int n) { return n * n; }, i));
  const auto values = am::when_all(std::move(futures)).get();
  for (int i = 0; i < 300; ++i) EXPECT_EQ(values[std::size_t(i)], i * i);
  auto [a, b] = am::when_all(am::call(next(), [] { return 1; }), am::call(next(), [] { return "x"s; })).get();
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, "x"s);
  std::vector<am::future<void>> done;
  for (int i = 0; i < 10; ++i) done.push_back(am::call(next(), [] {}));
  am::when_all(std::move(done)).get();
  EXPECT(am::when_all(std::vector<am::future<int>>{}).get().empty());
}

RANK_TEST(when_any_gives_one) {
  std::vector<am::future<int>> futures;
  for (int i = 0; i < 3; ++i) futures.push_back(am::call(next(), [](int n) { return n + 10; }, i));
  const auto [which, value] = am::when_any(std::move(futures)).get();
  EXPECT_EQ(value, int(which) + 10);
}

RANK_TEST(the_body_of_a_dropped_future_still_runs) {
  tally = 0;
  am::barrier();
  for (int i = 0; i < 100; ++i) (void)am::call(next(), [] { return ++tally; });
  am::fence();
  EXPECT_EQ(tally, 100);
}

RANK_TEST(many_two_way_calls_can_be_outstanding) {
  std::vector<am::future<long>> futures;
  am::batch together;
  for (long i = 0; i < 20000; ++i) futures.push_back(am::call(int(i % am::ranks()), [](long n) { return n + 1; }, i));
  for (long i = 0; i < 20000; ++i) EXPECT_EQ(futures[std::size_t(i)].get(), i + 1);
}

RANK_TEST(one_way_calls_and_two_way_calls_reach_every_rank) {
  tally = 0;
  am::barrier();
  if (am::rank() == am::ranks() - 1) am::async_all([](int n) { tally += n; }, 7);
  am::fence();
  EXPECT_EQ(tally, 7);
  am::barrier();
  const std::vector<int> answers = am::call_all([](int k) { return k * am::rank(); }, 2).get();
  EXPECT_EQ(answers.size(), std::size_t(am::ranks()));
  for (std::size_t r = 0; r < answers.size(); ++r) EXPECT_EQ(answers[r], 2 * int(r));
  am::call_all([] { ++tally; }).get();
  am::barrier();
  EXPECT_EQ(tally, 7 + am::ranks());
}

RANK_TEST(a_two_way_call_to_all_ranks_fails_if_one_body_throws) {
  const auto body = [](int at) {
    if (am::rank() == at) throw std::runtime_error("not here");
    return am::rank();
  };
  EXPECT_THROWS_SAYING(am::remote_error, "not here", am::call_all(body, am::ranks() - 1).get());
  EXPECT_EQ(am::call_all(body, -1).get().back(), am::ranks() - 1);
}

RANK_TEST(one_way_calls_and_two_way_calls_to_one_rank_keep_their_order) {
  tally = 0;
  am::barrier();
  if (am::rank() == 0) {
    for (int i = 0; i < 1000; ++i) am::async(am::ranks() - 1, [] { ++tally; });
    EXPECT_EQ(am::call(am::ranks() - 1, [] { return tally; }).get(), 1000);
  }
  am::fence();
}

RANK_TEST(a_rank_out_of_range_is_an_error_that_names_it) {
  EXPECT_THROWS(am::usage_error, (void)am::call(am::ranks(), [] {}));
  EXPECT_THROWS(am::usage_error, am::async(-1, [] {}));
}
