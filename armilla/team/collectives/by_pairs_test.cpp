// SPDX-License-Identifier: Apache-2.0
// Collectives in pairs between hosts: types with an alignment, operations that call, and errors on some members.
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "armilla/base/core/check.hpp"
#include "armilla/collectives.hpp"
#include "armilla/error.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

template <std::size_t Alignment>
struct alignas(Alignment) aligned {
  std::uint64_t number = 0;
};

bool lies_well = true;

template <class T>
struct plus {
  T operator()(const T& a, const T& b) const {
    for (const T* p : {&a, &b}) lies_well &= reinterpret_cast<std::uintptr_t>(p) % alignof(T) == 0;
    return {a.number + b.number};
  }
};

template <class T>
void fold_everywhere() {
  const std::uint64_t all = std::uint64_t(am::ranks()), sum = all * (all - 1) / 2;
  lies_well = true;
  for (int turn = 0; turn < 12; ++turn) {
    const T mine{std::uint64_t(am::rank())};
    EXPECT_EQ(am::world().all_reduce(mine, plus<T>{}).number, sum);
    EXPECT_EQ(am::world().inclusive_scan(mine, plus<T>{}).number, std::uint64_t(am::rank() * (am::rank() + 1) / 2));
    std::vector<T> data(400, mine), parts(300 * std::size_t(all), mine), part(300);
    am::world().reduce(std::span(data), am::in_order(plus<T>{}), 0);
    if (am::rank() == 0) EXPECT_EQ(data.back().number, sum);
    am::world().reduce_scatter(std::span<const T>(parts), std::span(part), plus<T>{});
    EXPECT_EQ(part.back().number, sum);
  }
  EXPECT(lies_well);
}

int next(int i) { return i + 1; }

}  // namespace

RANK_TEST(operations_are_given_aligned_elements) {
  fold_everywhere<aligned<8>>();
  fold_everywhere<aligned<16>>();
  fold_everywhere<aligned<64>>();
}

// While it does, further messages come.
RANK_TEST(an_operation_may_call) {
  const std::uint64_t all = std::uint64_t(am::ranks()), before = all * (all - 1) / 2;
  for (std::uint64_t turn = 0; turn < 40; ++turn) {
    std::vector<std::uint64_t> data(600, turn * 1000 + std::uint64_t(am::rank()));
    int times = 0;
    const auto op = [&times](std::uint64_t a, std::uint64_t b) {
      if (times++ % 200 == 0) EXPECT_EQ(am::call((am::rank() + 1) % am::ranks(), next, times).get(), times + 1);
      return a + b;
    };
    am::world().reduce(std::span(data), am::in_order(op), 0);
    if (am::rank() == 0) EXPECT(data == std::vector<std::uint64_t>(600, turn * 1000 * all + before));
  }
}

// One member moves memory, the others find in something else that it does otherwise.
RANK_TEST(who_waits_for_memory_to_move_gets_its_error_though_the_others_move_none) {
  if (am::ranks() == 1) return;
  const am::team t = am::world().dup();
  std::vector<int> data(100'000);
  EXPECT_THROWS(am::usage_error, am::rank() == 0 ? t.broadcast(std::span(data)) : t.barrier());
  am::barrier();
}

RANK_TEST(a_team_gets_no_message_of_one_that_had_its_place_before) {
  if (am::ranks() == 1 || am::detail::checked) return;  // a checked job compares before anything is sent
  for (const std::size_t length : {1u, 10'000u}) {
    std::vector<std::uint64_t> data(length, 1);
    if (am::team old = am::world().dup(); am::rank() == 0 && length == 1) old.broadcast(std::span(data));
    am::barrier();
    am::barrier();  // all know that it is gone
    const am::team fresh = am::world().dup();
    std::vector<std::uint64_t> later(length, am::rank() == 0 ? 2 : 0);
    fresh.broadcast(std::span(later));
    EXPECT_EQ(later.back(), 2u);
    am::barrier();
  }
}

// The place of a team in which an error was seen: what its successor sends early is not dropped with what that one left.
RANK_TEST(a_team_loses_no_message_after_an_error_in_one_that_had_its_place_before) {
  if (am::ranks() == 1) return;
  for (int turn = 0; turn < 5; ++turn) {
    {
      const am::team old = am::world().dup();
      std::vector<int> data(100'000);
      EXPECT_THROWS(am::usage_error, am::rank() == 0 ? old.broadcast(std::span(data)) : old.barrier());
    }
    am::barrier();
    am::barrier();
    const am::team fresh = am::world().dup();
    if (am::rank() == 0) EXPECT_EQ(fresh.broadcast(7), 7);
    am::barrier();  // takes in what has come
    if (am::rank() != 0) EXPECT_EQ(fresh.broadcast(0), 7);
  }
}
