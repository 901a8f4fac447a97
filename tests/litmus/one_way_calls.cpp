// SPDX-License-Identifier: Apache-2.0
// What a one-way call, and a signal, find when they arrive: docs/spec/order.md, "Calls and signals".
#include <array>

#include "tests/litmus/litmus.hpp"

using namespace litmus;

namespace {
am::per_rank<words> memory;
am::per_rank<std::array<long, 64>> blocks;
am::per_rank<long> wrong;
am::per_rank<am::counter> arrived;
am::rank_t next() { return (am::rank() + 1) % am::ranks(); }

void expect_none_wrong() {
  am::fence();
  EXPECT_EQ(wrong.local(), 0);
  wrong.local() = 0;
  am::barrier();
}
}  // namespace

RANK_TEST(a_one_way_call_sees_what_its_sender_wrote_directly) {
  for (long i = 1; i <= rounds; ++i) {
    *word_on<&words::x>(memory, next()) = i;
    am::async(next(), [](long wanted) { wrong.local() += memory.local().x < wanted; }, i);
  }
  expect_none_wrong();
}

RANK_TEST(a_one_way_call_sees_completed_puts) {
  std::array<long, 64> data;
  for (long i = 1; i <= rounds; ++i) {
    data.fill(i);
    am::put(am::reinterpret_pointer_cast<long>(blocks.on(next())), data);
    am::sync_memory();
    am::async(next(), [](long wanted) { wrong.local() += blocks.local()[0] < wanted || blocks.local()[63] < wanted; }, i);
  }
  expect_none_wrong();
}

// The data lie on a third rank; the body reads them there.
RANK_TEST(a_one_way_call_sees_what_was_written_elsewhere) {
  if (am::ranks() < 3 || !mapped()) return;
  if (am::rank() == 0) {
    for (long i = 1; i <= rounds; ++i) {
      *word_on<&words::y>(memory, 2) = i;
      am::async(1, [](long wanted) { wrong.local() += *word_on<&words::y>(memory, 2) < wanted; }, i);
    }
  }
  expect_none_wrong();
}

// A chain: 0 writes, tells 1, which tells 2.
RANK_TEST(one_way_calls_pass_on_what_they_have_seen) {
  if (am::ranks() < 3) return;
  if (am::rank() == 0) {
    for (long i = 1; i <= rounds; ++i) {
      *word_on<&words::flag>(memory, 2) = i;
      am::async(1, [](long wanted) { am::async(2, [](long w) { wrong.local() += memory.local().flag < w; }, wanted); }, i);
    }
  }
  expect_none_wrong();
}

RANK_TEST(one_way_calls_of_one_sender_keep_their_order) {
  memory.local().x = 0;
  am::barrier();
  for (long i = 1; i <= rounds; ++i) am::async(next(), [](long n) { wrong.local() += memory.local().x++ + 1 != n; }, i);
  expect_none_wrong();
}

RANK_TEST(a_signal_comes_behind_its_put) {
  std::array<long, 64> data;
  for (long i = 1; i <= rounds; ++i) {
    data.fill(i);
    am::put(am::reinterpret_pointer_cast<long>(blocks.on(next())), data, arrived.on(next()));
    arrived.local().wait();
    if (!EXPECT(blocks.local()[0] >= i && blocks.local()[63] >= i)) break;
    am::barrier();
  }
  am::sync_memory();
}

RANK_TEST(a_signal_comes_behind_direct_writes) {
  for (long i = 1; i <= rounds; ++i) {
    *word_on<&words::y>(memory, next()) = i;
    arrived.on(next()).signal();
    arrived.local().wait();
    if (!EXPECT(memory.local().y >= i)) break;
    am::barrier();
  }
}

// The writer tells another rank than the one where it wrote.
RANK_TEST(a_signal_comes_behind_direct_writes_elsewhere) {
  if (am::ranks() < 3) return;
  for (long i = 1; i <= rounds; ++i) {
    if (am::rank() == 0) {
      *word_on<&words::y>(memory, 2) = i;
      arrived.on(1).signal();
    }
    if (am::rank() == 1) {
      arrived.local().wait();
      const long seen = *word_on<&words::y>(memory, 2);
      if (!EXPECT(seen >= i)) break;
    }
    am::barrier();
  }
}

// Puts and stores that are not complete, in memory that is shared, and in memory that the owner may have to be asked for.
RANK_TEST(a_signal_comes_behind_earlier_puts_and_stores) {
  constexpr std::size_t n = 5000;
  std::vector<long> mine(2 * n);
  const auto theirs = am::all_gather(am::to_global(mine.data()))[std::size_t(next())];
  const auto shared = am::reinterpret_pointer_cast<long>(blocks.on(next()));
  std::array<long, 64> data;
  for (long i = 1; i <= rounds / 3; ++i) {
    data.fill(i);
    const std::vector<long> many(n, i);
    am::put(theirs, many);
    am::store(theirs + n, many);
    am::put(shared, data);
    arrived.on(next()).signal();
    arrived.local().wait();
    if (!EXPECT(mine[0] == i && mine[n - 1] == i && mine[n] == i && mine[2 * n - 1] == i)) break;
    if (!EXPECT(blocks.local()[0] == i && blocks.local()[63] == i)) break;
    am::fence();
  }
  am::fence();
}
