// SPDX-License-Identifier: Apache-2.0
// Parts of arrays and lists of places; run as access_test is.
#include <algorithm>
#include <array>
#include <cstring>

#include <armilla/error.hpp>

#include "armilla/global/both_memories_test.hpp"

namespace am = armilla;
using rank_test::arrays;
using rank_test::in_both_memories;
using rank_test::next;

namespace {

am::per_rank<am::counter> arrived;

}  // namespace

RANK_TEST(rectangles_travel) {
  in_both_memories(100, [](am::global_ptr<double> p, double* mine) {
    double block[12] = {};
    am::get_strided(block, p + 11, am::strided<2>{{3, 4}, {4, 1}, {10, 1}});
    am::sync_memory();
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 4; ++j) EXPECT_EQ(block[4 * i + j], next() * 1000.0 + 11 + 10 * i + j);
    am::barrier();
    for (double& x : block) x += 0.5;
    am::put_strided(p + 11, block, am::strided<2>{.extent = {3, 4}, .local = {4, 1}, .global = {10, 1}});
    double back[3];
    am::get_strided(back, p + 99, am::strided<1>{{3}, {1}, {-2}});
    am::sync_memory();
    EXPECT_EQ(back[2], next() * 1000.0 + 95);
    am::barrier();
    EXPECT_EQ(mine[11], am::rank() * 1000.0 + 11.5);
    EXPECT_EQ(mine[15], am::rank() * 1000.0 + 15);
    EXPECT_EQ(mine[34], am::rank() * 1000.0 + 34.5);
  });
}

RANK_TEST(lists_of_places_travel) {
  in_both_memories(300, [](am::global_ptr<double> p, double* mine) {
    std::vector<std::size_t> where;
    for (std::size_t i = 0; i < 200; ++i) where.push_back(i * 7 % 300);
    std::vector<double> got(200);
    am::get_indexed(got, p, where);
    am::sync_memory();
    for (std::size_t i = 0; i < 200; ++i)
      if (!EXPECT_EQ(got[i], next() * 1000.0 + double(where[i]))) break;
    am::barrier();
    where.resize(3);
    am::put_indexed(p, std::array<double, 3>{-1, -2, -3}, where);
    am::sync_memory();
    am::barrier();
    EXPECT_EQ(mine[14], -3.0);
    EXPECT_THROWS_SAYING(am::usage_error, "indices", am::get_indexed(got, p, where));
  });
}

RANK_TEST(parts_and_lists_are_stored) {
  in_both_memories(100, [](am::global_ptr<double> p, double* mine) {
    const double block[4] = {1, 2, 3, 4};
    am::store_strided(p, block, am::strided<2>{.extent = {2, 2}, .local = {2, 1}, .global = {10, 1}});
    am::store_indexed(p, std::array<double, 2>{5, 6}, std::vector<std::size_t>{50, 40});
    am::all_store_sync();
    EXPECT(mine[0] == 1.0 && mine[1] == 2.0 && mine[10] == 3.0 && mine[11] == 4.0 && mine[50] == 5.0 && mine[40] == 6.0);
  });
}

RANK_TEST(a_signal_comes_after_parts_and_lists) {
  in_both_memories(1000, [](am::global_ptr<double> p, double* mine) {
    const std::vector<std::size_t> places{500, 700};
    const auto signal = arrived.on(next());
    for (int i = 1; i <= 10; ++i) {
      const std::vector<double> block(100, i);
      const am::strided<2> part{.extent = {10, 10}, .local = {10, 1}, .global = {20, 1}};
      const std::array<double, 2> two{i * 2.0, i * 3.0};
      am::put_strided(p, block.data(), part, signal);
      am::put_indexed(p, two, places, signal);
      am::store_strided(p + 300, block.data(), part, signal, 2);
      am::store_indexed(p + 1, two, places, signal);
      arrived.local().wait(5);
      EXPECT(mine[0] == i && mine[189] == i && mine[300] == i && mine[489] == i);
      EXPECT(mine[500] == i * 2.0 && mine[701] == i * 3.0);
      am::barrier();
    }
    am::fence();
  });
}

// Against the same by hand, also where one side goes along its lines and the other across.
RANK_TEST(parts_of_every_shape_travel) {
  struct odd {
    char c[3];
  };
  const auto check = []<class T>(T zero) {
    constexpr std::size_t n = 40, m = 37;
    std::vector<T> mine(n * m, zero), got(n * m, zero), back(n * m, zero);
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const std::size_t number = i * 7 + std::size_t(am::rank());
      std::memcpy(&mine[i], &number, std::min(sizeof(T), sizeof number));
    }
    const auto theirs = am::all_gather(am::to_global(mine.data()))[std::size_t(next())];
    std::vector<T> there(n * m, zero);
    am::get(there, theirs);
    am::get_strided(got.data(), theirs, am::strided<2>{.extent = {n, m}, .local = {1, n}, .global = {m, 1}});
    am::sync_memory();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j)
        if (!EXPECT(std::memcmp(&got[j * n + i], &there[i * m + j], sizeof(T)) == 0)) return;
    am::barrier();
    am::put_strided(theirs, got.data(), am::strided<2>{.extent = {n, m}, .local = {1, n}, .global = {m, 1}});
    am::sync_memory();
    am::get_strided(back.data(), theirs,
                    am::strided<3>{.extent = {n, 1, m}, .local = {std::ptrdiff_t(m), 5, 1}, .global = {std::ptrdiff_t(m), 9, 1}});
    am::sync_memory();
    EXPECT(std::memcmp(back.data(), there.data(), n * m * sizeof(T)) == 0);
    am::barrier();
  };
  check(char(0));
  check(short(0));
  check(odd{});
  check(0);
  check(0.0);
  check(std::array<double, 2>{});
  check(std::array<double, 3>{});
  check(std::array<double, 4>{});
}
