// SPDX-License-Identifier: Apache-2.0
// What is visible after ranks have met: docs/spec/order.md, "Meetings".
#include "tests/litmus/litmus.hpp"

using namespace litmus;

namespace {
am::per_rank<words> memory;
am::per_rank<long> hits;
am::rank_t next() { return (am::rank() + 1) % am::ranks(); }
am::rank_t previous() { return (am::rank() + am::ranks() - 1) % am::ranks(); }
}  // namespace

RANK_TEST(a_barrier_shows_what_was_written) {
  for (long i = 1; i <= rounds / 3; ++i) {
    *word_on<&words::x>(memory, next()) = i * 10 + am::rank();
    memory.local().y = i;
    am::barrier();
    EXPECT_EQ(memory.local().x, i * 10 + previous());
    EXPECT_EQ(*word_on<&words::y>(memory, next()), i);
    am::barrier();
  }
}

RANK_TEST(a_barrier_shows_completed_puts) {
  for (long i = 1; i <= rounds / 3; ++i) {
    am::put(word_on<&words::flag>(memory, next()), i);
    am::sync_memory();
    am::barrier();
    if (!EXPECT_EQ(memory.local().flag, i)) break;
    am::barrier();
  }
}

RANK_TEST(a_fence_completes_puts_stores_and_one_way_calls) {
  hits.local() = 0;
  am::barrier();  // bodies of a faster rank run while this one waits
  for (long i = 1; i <= rounds / 3; ++i) {
    am::put(word_on<&words::x>(memory, next()), i);
    am::store(word_on<&words::y>(memory, next()), i);
    am::async(next(), [] {
      ++hits.local();
      am::async(next(), [] { ++hits.local(); });
    });
    am::fence();
    if (!EXPECT(memory.local().x == i && memory.local().y == i && hits.local() == 2 * i)) break;
    am::barrier();
  }
}

RANK_TEST(all_store_sync_shows_all_stores) {
  for (long i = 1; i <= rounds / 3; ++i) {
    am::store(word_on<&words::x>(memory, next()), -i);
    am::all_store_sync();
    if (!EXPECT_EQ(memory.local().x, -i)) break;
    am::barrier();
  }
}

RANK_TEST(a_reply_shows_what_its_body_wrote) {
  for (long i = 1; i <= rounds / 3; ++i) {
    am::call(next(), [](long n) { memory.local().flag = n; }, i).get();
    if (!EXPECT_EQ(*word_on<&words::flag>(memory, next()), i)) break;
    am::barrier();
  }
}
