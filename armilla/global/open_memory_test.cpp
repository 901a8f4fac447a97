// SPDX-License-Identifier: Apache-2.0
// Runs with ARMILLA_ACCESS=opened.
#include <armilla/error.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {
am::per_rank<am::global_ptr<int>> board;
am::per_rank<int> closed;
am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

am::global_ptr<int> offer(am::global_ptr<int> mine) {
  board.local() = mine;
  const am::opened_memory open = am::open_memory(board.on(am::rank()), 1, am::access_rights::read);
  am::barrier();
  const am::global_ptr<int> p = *board.on(next());
  am::barrier();
  return p;
}
}  // namespace

RANK_TEST(only_what_its_owner_opened_is_reached) {
  const auto mine = am::allocate<int>(101);
  for (int i = 0; i < 100; ++i) mine[i] = i;
  auto for_reading = am::open_memory(mine, 50, am::access_rights::read);
  auto for_all = am::open_memory(mine + 50, 50, am::access_rights::read | am::access_rights::write);
  const auto p = offer(mine);
  EXPECT_EQ(p[49], 49);
  p[50] = -1;
  EXPECT_EQ(am::atomic_fetch_add(p + 50, 1), -1);
  if (am::ranks() > 1) {
    EXPECT_THROWS_SAYING(am::usage_error, "has not opened", p[49] = 1);
    EXPECT_THROWS_SAYING(am::usage_error, "has not opened", int(p[100]));
    EXPECT_THROWS_SAYING(am::usage_error, "atomic_add: rank ",
                         (am::atomic_add(p, 1), am::sync_memory()));  // at sync_memory, if its owner says so
    EXPECT_THROWS_SAYING(am::usage_error, "has not opened", int(*closed.on(next())));
    int many[60];
    EXPECT_THROWS_SAYING(am::usage_error, "get", (am::get(many, p), am::sync_memory()));
    EXPECT(p.local() == nullptr);
  }
  am::barrier();
  for_reading.close();
  am::barrier();
  if (am::ranks() > 1) EXPECT_THROWS_SAYING(am::usage_error, "has not opened", int(*p));
  am::barrier();
  am::deallocate(mine);
}

RANK_TEST(private_memory_is_opened_too) {
  int variable = 77;
  const auto p = offer(am::to_global(&variable));
  if (am::ranks() > 1) EXPECT_THROWS_SAYING(am::usage_error, "has not opened", int(*p));
  am::barrier();
  {
    const auto opened = am::open_memory(am::to_global(&variable), 1, am::access_rights::read);
    am::barrier();
    EXPECT_EQ(*p, 77);
    am::barrier();
  }
  am::barrier();
  if (am::ranks() > 1) EXPECT_THROWS_SAYING(am::usage_error, "has not opened", int(*p));
  am::barrier();
}

RANK_TEST(only_the_owner_opens_and_gives_back) {
  const auto mine = am::allocate<int>(1);
  const auto p = offer(mine);
  if (am::ranks() > 1) {
    EXPECT_THROWS_SAYING(am::usage_error, "only its owner", am::open_memory(p, 1, am::access_rights::read));
    EXPECT_THROWS_SAYING(am::usage_error, "let its owner", am::deallocate(p));
  }
  am::barrier();
  am::deallocate(mine);
}

RANK_TEST(more_than_there_is_is_not_opened) {
  const auto mine = am::allocate<int>(1);
  EXPECT_THROWS_SAYING(am::usage_error, "is the number negative",
                       am::open_memory(mine, std::size_t(-1), am::access_rights::read));
  EXPECT_THROWS_SAYING(am::usage_error, "open", am::open_memory(mine, std::size_t{1} << 60, am::access_rights::read));
  am::deallocate(mine);
}

RANK_TEST(a_signal_needs_an_opened_counter) {
  am::counter mine;
  int data = 0;
  const auto opened = am::open_memory(am::to_global(&mine), 1, am::access_rights::read_write);
  const auto also = am::open_memory(am::to_global(&data), 1, am::access_rights::write);
  const auto p = offer(am::to_global(&data));
  const auto c = am::reinterpret_pointer_cast<am::counter>(offer(am::reinterpret_pointer_cast<int>(am::to_global(&mine))));
  am::put(p, 5, c);
  mine.wait();
  EXPECT_EQ(data, 5);
  am::fence();
}
