// SPDX-License-Identifier: Apache-2.0
#include "armilla/parfor.hpp"

#include <forward_list>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/error.hpp"
#include "armilla/fiber/solo_rank.hpp"
#include "armilla/spawn.hpp"
#include "armilla/stats/counters.hpp"
#include "armilla/sync_var.hpp"

namespace {

using armilla::par;
using armilla::parfor;
using armilla::spawn;
using armilla::sync_var;
using armilla::yield;
using armilla::detail::solo_rank;

int fibers_made(solo_rank& rank) {
  int known = 0;
  for (auto* f = rank.fibers().pool().known(); f != nullptr; f = f->next_known) ++known;
  return known;
}

TEST(parfor, makes_no_fiber_where_nothing_waits) {
  solo_rank rank;
  std::vector<int> order;
  parfor(0, 5, [&](int i) { order.push_back(i); });
  EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
  EXPECT_EQ(fibers_made(rank), 0);
  EXPECT_EQ(armilla::detail::current_head->count->switches, 0U);
}

TEST(parfor, does_nothing_for_nothing) {
  solo_rank rank;
  parfor(3, 3, [](int) { FAIL(); });
  parfor(3, -3, [](int) { FAIL(); });
  parfor(std::vector<int>{}, [](int) { FAIL(); });
}

TEST(parfor, runs_the_rest_while_one_waits) {
  solo_rank rank;
  std::string order;
  sync_var<void> last_ran;
  parfor(0, 4, [&](int i) {
    if (i == 3) last_ran.write();
    if (i == 1) last_ran.read();
    order += std::to_string(i);
  });
  EXPECT_EQ(order, "0231");
  EXPECT_LE(fibers_made(rank), 2);
}

TEST(parfor, overlaps_as_many_waits_as_iterations) {
  solo_rank rank;
  int waiting = 0;
  sync_var<void> all_wait;
  parfor(0, 100, [&](int) {
    if (++waiting == 100) all_wait.write();
    all_wait.read();
    --waiting;
  });
  EXPECT_EQ(waiting, 0);
}

TEST(parfor, bounds_the_fibers_of_one_loop) {
  solo_rank rank;
  long ended = 0;
  parfor(0, 5000, [&](int) {
    yield(), yield();
    ++ended;
  });
  EXPECT_EQ(ended, 5000);
  EXPECT_LE(fibers_made(rank), 1026);
}

TEST(parfor, keeps_a_grain_together) {
  solo_rank rank;
  std::string order;
  parfor(
      0, 5,
      [&](int i) {
        yield();
        order += std::to_string(i);
      },
      2);
  EXPECT_EQ(order.size(), 5U);
  EXPECT_LT(order.find('0'), order.find('1'));
  EXPECT_LT(order.find('2'), order.find('3'));
  EXPECT_LT(order.find('2'), order.find('1'));
  EXPECT_THROW(parfor(0, 1, [](int) {}, 0), armilla::usage_error);
}

TEST(parfor, goes_through_ranges) {
  solo_rank rank;
  std::vector<int> numbers(10);
  std::iota(numbers.begin(), numbers.end(), 0);
  parfor(numbers, [](int& n) {
    yield();
    n *= 2;
  });
  EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0), 90);
  const std::forward_list<int> list{1, 2, 3};
  int sum = 0;
  parfor(
      list,
      [&](int n) {
        yield();
        sum += n;
      },
      2);
  EXPECT_EQ(sum, 6);
  int squares[3] = {1, 2, 3};
  parfor(squares, [](int& n) { n *= n; });
  EXPECT_EQ(squares[2], 9);
}

TEST(parfor, takes_extreme_bounds) {
  solo_rank rank;
  int count = 0;
  const int most = std::numeric_limits<int>::max();
  parfor(most - 3, most, [&](int) { ++count; }, 2);
  EXPECT_EQ(count, 3);
  const signed char low = -128, high = 127;
  parfor(low, high, [&](signed char) { ++count; }, high);
  EXPECT_EQ(count, 3 + 255);
}

TEST(parfor, throws_what_came_first_when_all_have_ended) {
  solo_rank rank;
  int ended = 0;
  try {
    parfor(0, 10, [&](int i) {
      if (i == 0) yield();
      ++ended;
      if (i == 0) throw std::runtime_error("0");
      if (i == 4) throw std::runtime_error("4");
    });
    FAIL();
  } catch (const std::runtime_error& e) { EXPECT_STREQ(e.what(), "4"); }
  EXPECT_EQ(ended, 10);
}

TEST(parfor, nests_and_starts_the_outer_iterations_too) {
  solo_rank rank;
  std::string order;
  sync_var<void> all_began;
  int began = 0;
  parfor(0, 3, [&](int i) {
    parfor(0, 3, [&](int j) {
      order += std::to_string(10 * i + j) + " ";
      if (++began == 9) all_began.write();
      all_began.read();
    });
  });
  EXPECT_EQ(began, 9);
  EXPECT_EQ(order.size(), 3U * 2U + 6U * 3U);
}

TEST(parfor, nests_where_only_the_outer_waits) {
  solo_rank rank;
  int inner = 0, waiting = 0;
  sync_var<void> all_wait;
  parfor(0, 4, [&](int) {
    parfor(0, 2, [&](int) { ++inner; });
    if (++waiting == 4) all_wait.write();
    all_wait.read();
    parfor(0, 2, [&](int) {
      yield();
      ++inner;
    });
  });
  EXPECT_EQ(inner, 16);
}

TEST(parfor, runs_inside_spawned_fibers) {
  solo_rank rank;
  int ended = 0;
  const auto work = [&] {
    parfor(0, 10, [&](int) {
      yield();
      ++ended;
    });
  };
  auto a = spawn(work), b = spawn(work);
  a.join(), b.join();
  EXPECT_EQ(ended, 20);
  EXPECT_EQ(rank.fibers().alive(), 0U);
}

void write_a(sync_var<int>& v) { v = 1; }
sync_var<int>* shared = nullptr;
void write_shared() { write_a(*shared); }

TEST(par, blocks_wait_for_each_other) {
  solo_rank rank;
  sync_var<int> a, b;
  int sum = 0;
  par([&] { sum += a; }, [&] { sum += b, a = 3; }, [&] { b = 4; });
  EXPECT_EQ(sum, 7);
}

TEST(par, takes_functions_and_drops_results) {
  solo_rank rank;
  sync_var<int> v;
  shared = &v;
  par(write_shared, [] { return 5; });
  EXPECT_EQ(v.read(), 1);
}

TEST(par, throws_when_all_have_ended) {
  solo_rank rank;
  bool ended = false;
  EXPECT_THROW(par([] { throw std::range_error("first"); },
                   [&] {
                     yield();
                     ended = true;
                   }),
               std::range_error);
  EXPECT_TRUE(ended);
}

}  // namespace
