// SPDX-License-Identifier: Apache-2.0
// Bodies that wait.
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <armilla/mutex.hpp>
#include <armilla/parfor.hpp>
#include <armilla/spawn.hpp>
#include <armilla/sync_var.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

// What bodies of this rank keep between tests; ranks may be threads.
struct rank_state {
  std::vector<int> order;
  long sum = 0;
  am::mutex lock;
  int inside = 0, most_inside = 0;
  am::sync_var<int>* gate = nullptr;
  long waiting = 0;
};
am::per_rank<rank_state*> state;
am::per_rank<long> value;
rank_state& mine() {
  if (*state == nullptr) *state = new rank_state;
  return **state;
}

int fibonacci(int n) {
  if (n < 2) return n;
  auto a = am::call<&fibonacci>(next(), n - 1);
  auto b = am::call<&fibonacci>((am::rank() + am::ranks() - 1) % am::ranks(), n - 2);
  return a.get() + b.get();
}

int to_and_fro(am::rank_t back, int depth) {
  if (depth == 0) return 0;
  return am::call<&to_and_fro>(back, am::rank(), depth - 1).get() + 1;
}

RANK_TEST(a_body_waits_for_an_answer) {
  EXPECT_EQ(am::call(next(), [] { return am::call(0, [] { return 41; }).get() + 1; }).get(), 42);
}

RANK_TEST(calls_nest_in_cycles) { EXPECT_EQ(am::call<&to_and_fro>(next(), am::rank(), 200).get(), 200); }

RANK_TEST(calls_spread_as_a_tree) { EXPECT_EQ(fibonacci(13), 233); }

// What comes in the same frame behind a body that waits goes on without it, in its order.
RANK_TEST(others_overtake_a_body_that_waits_but_not_each_other) {
  mine().order.clear();
  am::barrier();
  if (am::rank() == 0) {
    am::async(am::ranks() - 1, [] {
      am::call(0, [] {}).get();
      mine().order.push_back(-1);
    });
    for (int i = 0; i < 100; ++i) am::async(am::ranks() - 1, [](int n) { mine().order.push_back(n); }, i);
  }
  am::fence();
  if (am::rank() != am::ranks() - 1) return;
  EXPECT_EQ(mine().order.size(), 101);
  std::erase(mine().order, -1);
  std::vector<int> expected(100);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(mine().order, expected);
}

void begin_and_wait(int number, am::rank_t back) {
  mine().order.push_back(number);
  if (number % 3 == 0) return;
  mine().sum += am::call(back, [] { return 1; }).get();
  if (number == 4) throw std::runtime_error("behind the wait");
}

// Each one-way call is a bundle of its own, since its neighbors are of another kind, alone in a frame or after others.
RANK_TEST(bundles_of_one_message_begin_in_order_though_their_bodies_wait_or_throw) {
  constexpr int pairs = 60;
  const std::size_t usual = am::aggregation();
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{512}, usual}) {
    am::set_aggregation(bytes);
    mine().order.clear();
    mine().sum = 0;
    am::barrier();
    for (int i = 0; i < pairs; ++i) {
      am::async<&begin_and_wait>(next(), 2 * i, am::rank());
      am::async(
          next(),
          [](int number) {
            mine().order.push_back(number);
            if (number == 9) throw std::runtime_error("at once");
          },
          2 * i + 1);
    }
    EXPECT_THROWS(am::remote_error, am::fence());
    std::vector<int> all(2 * pairs);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(mine().order, all);
    EXPECT_EQ(mine().sum, 2 * pairs / 3);
    am::barrier();
  }
  am::set_aggregation(usual);
}

RANK_TEST(the_fence_waits_for_bodies_that_wait_and_what_they_cause) {
  mine().sum = 0;
  am::barrier();
  const auto chain = [](auto self, int left) -> void {
    am::call(next(), [] {}).get();
    mine().sum += 1;
    if (left > 0) am::async(next(), self, self, left - 1);
  };
  for (int i = 0; i < 20; ++i) am::async(next(), chain, chain, 5);
  am::fence();
  const long all = am::world().all_reduce(mine().sum, std::plus<>{});
  EXPECT_EQ(all, 120L * am::ranks());
}

RANK_TEST(the_fence_waits_for_fibers_that_bodies_left_behind) {
  mine().sum = 0;
  am::barrier();
  for (int i = 0; i < 10; ++i)
    am::async(next(), [] {
      am::spawn([] {
        for (int k = 0; k < 3; ++k) am::call(next(), [] {}).get();
        ++mine().sum;
      });
    });
  am::fence();
  EXPECT_EQ(mine().sum, 10);
}

RANK_TEST(a_view_outlives_its_place_in_the_ring_while_its_body_waits) {
  std::vector<double> numbers(300);
  std::iota(numbers.begin(), numbers.end(), 0.0);
  const auto sum = [](am::view<double> v, am::rank_t back) {
    am::call(back, [] {}).get();
    return std::accumulate(v.begin(), v.end(), 0.0);
  };
  std::vector<am::future<double>> all;
  for (int i = 0; i < 200; ++i) all.push_back(am::call(next(), sum, am::view(numbers), am::rank()));
  for (auto& f : all) EXPECT_EQ(f.get(), 300 * 299 / 2.0);
  std::vector<double> long_one(100'000, 1.0);
  EXPECT_EQ(am::call(next(), sum, am::view(long_one), am::rank()).get(), 100'000.0);
}

RANK_TEST(an_exception_after_a_wait_arrives) {
  auto f = am::call(
      next(),
      [](std::string s) -> int {
        am::call(0, [] {}).get();
        throw std::runtime_error(s);
      },
      std::string("late"));
  try {
    (void)f.get();
    EXPECT(false);
  } catch (const am::remote_error& e) { EXPECT_EQ(std::string(e.text()), "late"); }
}

RANK_TEST(bodies_lock_and_wait_under_the_lock) {
  mine().inside = mine().most_inside = 0;
  am::barrier();
  const auto body = [](am::rank_t back) {
    mine().lock.lock();
    mine().most_inside = std::max(mine().most_inside, ++mine().inside);
    am::call(back, [] {}).get();
    --mine().inside;
    mine().lock.unlock();
  };
  std::vector<am::future<void>> all;
  for (int i = 0; i < 100; ++i) all.push_back(am::call(i % am::ranks(), body, am::rank()));
  for (auto& f : all) f.get();
  am::fence();
  EXPECT_EQ(mine().most_inside, 1);
}

#if defined(__SANITIZE_THREAD__)
constexpr int many_bodies = 400, flood = 300;  // the sanitizer keeps more than a megabyte for each
#else
constexpr int many_bodies = 10'000, flood = 3000;
#endif

RANK_TEST(ten_thousand_bodies_wait_on_one_rank) {
  const int each = many_bodies / am::ranks();
  am::sync_var<int> gate;
  mine().gate = &gate;
  mine().waiting = 0;
  am::barrier();
  std::vector<am::future<int>> all;
  for (int i = 0; i < each; ++i)
    all.push_back(am::call(
        0,
        [](int n) {
          ++mine().waiting;
          return mine().gate->get() + n;
        },
        i));
  if (am::rank() == 0) {
    while (mine().waiting < each * am::ranks()) am::poll();
    gate = 7;
  }
  for (int i = 0; i < each; ++i) EXPECT_EQ(all[std::size_t(i)].get(), 7 + i);
  am::barrier();
}

RANK_TEST(a_handler_of_an_active_message_may_not_wait) {
  am::async(next(), [] {});
  auto f = am::call(next(), [] { return 1; }).then([](int) { return am::call(0, [] { return 1; }).get(); });
  EXPECT_THROWS(am::usage_error, (void)f.get());
  am::fence();
}

RANK_TEST(remote_memory_is_read_inside_a_body) {
  *value = 100 + am::rank();
  am::barrier();
  const long got = am::call(next(), [](am::rank_t r) { return long(*value.on(r)); }, am::rank()).get();
  EXPECT_EQ(got, 100 + am::rank());
  std::vector<long> all(200);
  am::parfor(0, 200, [&](int i) { all[std::size_t(i)] = *value.on(i % am::ranks()); });
  for (int i = 0; i < 200; ++i) EXPECT_EQ(all[std::size_t(i)], 100 + i % am::ranks());
  am::barrier();
}

RANK_TEST(a_flood_of_bodies_that_wait_in_both_directions) {
  mine().sum = 0;
  am::barrier();
  for (int i = 0; i < flood; ++i)
    am::async((am::rank() + i) % am::ranks(),
              [](am::rank_t back, int n) { mine().sum += am::call(back, [](int k) { return k; }, n).get(); }, am::rank(), 1);
  am::fence();
  EXPECT_EQ(am::world().all_reduce(mine().sum, std::plus<>{}), long(flood) * am::ranks());
}

RANK_TEST(a_body_marked_as_a_fiber_lets_others_go_first) {
  mine().order.clear();
  am::barrier();
  if (am::rank() == 0) {
    am::async(am::ranks() - 1, am::as_fiber([] { mine().order.push_back(-1); }));
    for (int i = 0; i < 5; ++i) am::async(am::ranks() - 1, [](int n) { mine().order.push_back(n); }, i);
  }
  am::fence();
  if (am::rank() == am::ranks() - 1) EXPECT_EQ(mine().order, (std::vector<int>{0, 1, 2, 3, 4, -1}));
  EXPECT_EQ(am::call(next(), am::as_fiber([](int n) { return n + 1; }), 1).get(), 2);
}

int increment(int n) { return n + 1; }

RANK_TEST(a_body_marked_to_completion_may_not_wait) {
  EXPECT_EQ(am::call(next(), am::to_completion([](int n) { return n + 1; }), 1).get(), 2);
  EXPECT_EQ(am::call(next(), am::to_completion(&increment), 1).get(), 2);
  EXPECT_EQ(am::call(next(), am::to_completion<&increment>(), 1).get(), 2);
  auto f = am::call(next(), am::to_completion([] { return am::call(0, [] { return 1; }).get(); }));
  EXPECT_THROWS(am::remote_error, (void)f.get());
}

RANK_TEST(one_way_calls_leave_while_a_fiber_yields) {
  mine().sum = 0;
  am::barrier();
  am::async(next(), [] { mine().sum = 1; });
  while (mine().sum == 0) am::yield();
  EXPECT_EQ(mine().sum, 1);
  am::barrier();
}

RANK_TEST(an_urgent_one_way_call_leaves_at_once) {
  mine().sum = 0;
  am::barrier();
  am::async(next(), am::urgent([](int n) { mine().sum += n; }), 3);
  while (mine().sum != 3) am::poll();
  EXPECT_EQ(mine().sum, 3);
  am::barrier();
}

RANK_TEST(waiting_by_switching_gives_the_same) {
  am::set_wait_mode(am::wait_mode::switching);
  EXPECT_EQ(fibonacci(8), 21);
  EXPECT_EQ(am::call(next(), [](int n) { return n + 1; }, 1).get(), 2);
  am::set_wait_mode(am::wait_mode::in_place);
}

}  // namespace
