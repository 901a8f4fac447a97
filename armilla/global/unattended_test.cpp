// SPDX-License-Identifier: Apache-2.0
// Access to the segment of a rank that computes and looks at nothing, over a network that needs nothing of it.
#include <array>
#include <chrono>
#include <numeric>
#include <vector>

#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;
using namespace std::chrono_literals;
using steady = std::chrono::steady_clock;

namespace {

constexpr auto deaf = 300ms;
constexpr std::size_t many = 1 << 17;  // doubles: 1 MiB

am::per_rank<am::global_ptr<double>> numbers, tops;
am::per_rank<am::global_ptr<std::int64_t>> sums;
am::per_rank<am::counter> arrived;

bool owners_judge() { return am::detail::checked; }

/// Rank 1 computes without a look; meanwhile the others run `f`, in less than half of that time if nothing waits for it.
template <class F>
void while_rank_1_computes(F f) {
  am::barrier();
  const auto begin = steady::now();
  if (am::rank() == 1) {
    while (steady::now() - begin < deaf) {}
  } else {
    f();
    if (!owners_judge()) EXPECT(steady::now() - begin < deaf / 2);
  }
  am::barrier();
}

/// Arrays of all ranks, 1000 times the rank and counted on: in the heap of the rank, and in the one that all keep alike.
struct arrays {
  am::global_ptr<double> mine = am::allocate<double>(many);
  am::global_ptr<std::int64_t> sum = am::allocate<std::int64_t>(1);
  am::spread_array<double> alike = am::spread_array<double>(std::size_t(am::ranks()) * 8);

  arrays() {
    std::iota(mine.local(), mine.local() + many, am::rank() * 1000.0);
    *sum.local() = 0;
    numbers.local() = mine;
    sums.local() = sum;
    am::barrier();
  }
  ~arrays() {
    am::barrier();
    am::deallocate(mine);
    am::deallocate(sum);
  }
};

}  // namespace

RANK_TEST(words_and_long_ranges_are_read) {
  const arrays all;
  while_rank_1_computes([] {
    const am::global_ptr<double> p = *numbers.on(1);
    EXPECT_EQ(*p, 1000.0);
    EXPECT_EQ(p[many - 1], 1000.0 + double(many - 1));
    std::vector<double> into(many);
    am::get(into, p);
    am::sync_memory();
    for (std::size_t i = 0; i < many; ++i)
      if (into[i] != 1000.0 + double(i)) return rank_test::fail(__FILE__, __LINE__, "a wrong number in a long range");
  });
}

RANK_TEST(words_and_long_ranges_are_written) {
  const arrays all;
  const am::rank_t from = am::ranks() - 1 == 1 ? 0 : am::ranks() - 1;
  while_rank_1_computes([from] {
    if (am::rank() != from) return;
    const am::global_ptr<double> p = *numbers.on(1);
    std::vector<double> long_one(many / 2, -5.0);
    am::put(p + 100, long_one);
    *p = -1.0;
    am::put(p + 1, -2.0);
    am::store(p + 2, std::array<double, 2>{-3.0, -4.0});
    am::sync_memory();
  });
  am::all_store_sync();
  if (am::rank() != 1) return;
  const double* const mine = all.mine.local();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(mine[i], -1.0 - i);
  EXPECT_EQ(mine[99], 1099.0);
  EXPECT_EQ(mine[100], -5.0);
  EXPECT_EQ(mine[99 + many / 2], -5.0);
  EXPECT_EQ(mine[100 + many / 2], 1100.0 + double(many / 2));
}

RANK_TEST(rectangles_and_lists_of_places_travel) {
  const arrays all;
  while_rank_1_computes([] {
    const am::global_ptr<double> p = *numbers.on(1);
    double block[12] = {};
    am::get_strided(block, p + 11, am::strided<2>{{3, 4}, {4, 1}, {10, 1}});
    const std::vector<std::size_t> where = {70'000, 3, 70'001};
    std::vector<double> picked(3);
    am::get_indexed(picked, p, where);
    am::sync_memory();
    EXPECT_EQ(block[4 * 2 + 3], 1034.0);
    EXPECT_EQ(picked[0], 71'000.0);
    EXPECT_EQ(picked[1], 1003.0);
    if (am::rank() != 0) return;
    am::put_indexed(p + 100, std::array<double, 3>{-1, -2, -3}, where);
    am::put_strided(p + 1000, block, am::strided<1>{{3}, {4}, {100}});
    am::sync_memory();
  });
  if (am::rank() != 1) return;
  EXPECT_EQ(all.mine.local()[70'101], -3.0);
  EXPECT_EQ(all.mine.local()[1200], 1031.0);
}

RANK_TEST(atomic_operations_meet_those_of_the_owner) {
  const arrays all;
  am::barrier();
  const auto begin = steady::now();
  const am::global_ptr<std::int64_t> sum = *sums.on(1);
  for (int i = 0; i < 10'000; ++i) i % 2 == 0 ? am::atomic_add(sum, 1) : void(am::atomic_fetch_add(sum, 1));
  am::sync_memory();
  if (am::rank() != 1 && !owners_judge()) EXPECT(steady::now() - begin < deaf / 2);
  while (am::rank() == 1 && steady::now() - begin < deaf) {}
  am::barrier();
  EXPECT_EQ(*sum, 10'000 * am::ranks());
}

RANK_TEST(memory_that_all_keep_alike_is_reached) {
  const arrays all;
  while_rank_1_computes([&all] {
    const am::global_ptr<double> there = all.alike.ptr(1);
    EXPECT_EQ(there.rank(), 1);
    *there = 7.5;
    EXPECT_EQ(*there, 7.5);
  });
}

RANK_TEST(a_segment_grows_without_a_word) {
  const arrays all;
  am::barrier();
  const auto begin = steady::now();
  am::global_ptr<double> more;
  if (am::rank() == 1) {
    more = am::allocate<double>(40 * many);  // 40 MiB, behind all that others have looked at
    more.local()[40 * many - 1] = 4711;
    *tops.on(0) = more + (40 * many - 1);
    const am::global_ptr<std::int64_t> told = *sums.on(0);
    am::atomic_add(told, 1);
    while (steady::now() - begin < deaf) {}
  } else if (am::rank() == 0) {
    while (am::atomic_fetch_add(all.sum, 0) == 0) am::poll();
    EXPECT_EQ(*tops.local(), 4711.0);
    if (!owners_judge()) EXPECT(steady::now() - begin < deaf / 2);
  }
  am::barrier();
  if (am::rank() == 1) am::deallocate(more);
}

// The counter of a rank that sleeps in the network: what was written before is there when it wakes.
RANK_TEST(a_signal_wakes_and_comes_behind_what_was_written) {
  const arrays all;
  const am::rank_t next = (am::rank() + 1) % am::ranks();
  const am::global_ptr<double> p = *numbers.on(next);
  for (int turn = 0; turn < 200; ++turn) {
    p[5] = double(turn);
    am::put(p + 6, double(turn), arrived.on(next));
    arrived.local().wait(1);
    EXPECT_EQ(all.mine.local()[5], double(turn));
    EXPECT_EQ(all.mine.local()[6], double(turn));
    am::barrier();
  }
}
