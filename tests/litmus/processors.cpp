// SPDX-License-Identifier: Apache-2.0
// What single loads and stores through global pointers promise: docs/spec/order.md, "One access".
#include "tests/litmus/litmus.hpp"

using namespace litmus;

namespace {
am::per_rank<words> memory;
auto x_on(am::rank_t r) { return word_on<&words::x>(memory, r); }
auto y_on(am::rank_t r) { return word_on<&words::y>(memory, r); }
auto flag_on(am::rank_t r) { return word_on<&words::flag>(memory, r); }

// Rank 0 writes data, then a flag; rank 1 sees the flag and reads the data. Data and flag lie where they are told.
void message_passing(am::rank_t data, am::rank_t flag) {
  for (long i = 1; i <= rounds; ++i) {
    if (am::rank() == 0) {
      *x_on(data) = i;
      *y_on(data) = -i;
      *flag_on(flag) = i;
    } else if (am::rank() == 1) {
      spin_until([&] { return *flag_on(flag) >= i; });
      if (!EXPECT(*x_on(data) >= i) || !EXPECT(*y_on(data) <= -i)) break;
    }
  }
  am::barrier();
  memory.local() = words{};
  am::barrier();
}
}  // namespace

RANK_TEST(message_passing_through_one_rank) {
  if (am::ranks() < 2 || !mapped()) return;
  message_passing(0, 0);
  message_passing(1, 1);
}

RANK_TEST(message_passing_through_two_ranks) {
  if (am::ranks() < 2 || !mapped()) return;
  message_passing(0, 1);
  message_passing(1, 0);
  message_passing(am::ranks() - 1, 0);
}

RANK_TEST(one_place_never_goes_back) {
  if (am::ranks() < 2 || !mapped()) return;
  if (am::rank() == 0) {
    for (long i = 1; i <= rounds * 10; ++i) *x_on(1) = i;
  } else if (am::rank() == 1) {
    long last = 0;
    spin_until([&] {
      const long now = *x_on(1);
      EXPECT(now >= last);
      last = now;
      return now == rounds * 10;
    });
  }
  am::barrier();
  memory.local() = words{};
}

RANK_TEST(eight_bytes_are_never_torn) {
  if (am::ranks() < 2 || !mapped()) return;
  if (am::rank() == 0) {
    for (long i = 1; i <= rounds * 10; ++i) *x_on(1) = i << 32 | i;
  } else if (am::rank() == 1) {
    spin_until([&] {
      const long now = *x_on(1);
      EXPECT(now >> 32 == (now & 0xffffffff));
      return now >> 32 == rounds * 10;
    });
  }
  am::barrier();
  memory.local() = words{};
}

// Both ranks write one word and read the other's. Plain accesses allow that neither sees the other.
RANK_TEST(store_buffering_is_allowed) {
  if (am::ranks() < 2 || !mapped()) return;
  for (long i = 1; i <= rounds && am::rank() < 2; ++i) {
    const bool first = am::rank() == 0;
    *(first ? x_on(0) : y_on(0)) = i;
    const long seen = *(first ? y_on(0) : x_on(0));
    if (!EXPECT(seen >= 0 && seen <= rounds)) break;
  }
  am::barrier();
  memory.local() = words{};
  am::barrier();
}

// With atomic operations it is forbidden: at least one of the two sees the other.
RANK_TEST(store_buffering_is_forbidden_between_atomics) {
  if (am::ranks() < 2) return;
  for (long i = 1; i <= rounds / 3; ++i) {
    if (am::rank() < 2) {
      const bool first = am::rank() == 0;
      am::atomic_exchange(first ? x_on(0) : y_on(1), i);
      const long seen = am::atomic_fetch_add(first ? y_on(1) : x_on(0), 0);
      memory.local().flag = seen;
    }
    am::barrier();
    if (am::rank() == 0) EXPECT(*flag_on(0) == i || *flag_on(1) == i);
    am::barrier();
  }
  memory.local() = words{};
  am::barrier();
}

// Independent reads of independent writes: two readers never disagree about the order of two writers.
RANK_TEST(readers_agree_about_the_order_of_writers) {
  if (am::ranks() < 4 || !mapped()) return;
  for (long i = 1; i <= rounds / 3; ++i) {
    const am::rank_t r = am::rank();
    if (r == 0) *x_on(0) = i;
    if (r == 1) *y_on(0) = i;
    long a = 0, b = 0;
    if (r == 2) a = *x_on(0), b = *y_on(0);
    if (r == 3) b = *y_on(0), a = *x_on(0);
    memory.local().flag = r == 2 ? long(a == i && b != i) : long(b == i && a != i);
    am::barrier();
    if (r == 0) EXPECT(!(*flag_on(2) == 1 && *flag_on(3) == 1));
    am::barrier();
  }
  memory.local() = words{};
  am::barrier();
}
