// SPDX-License-Identifier: Apache-2.0
#include "armilla/rpc/receive_buffers.hpp"

#include <gtest/gtest.h>

#include "armilla/stats/counters.hpp"

namespace armilla::detail {
namespace {

const char methods[2] = {};

struct pool {
  counters count;
  receive_buffers buffers{count, 8192};
};

TEST(receive_buffers, the_next_call_of_the_same_method_and_rank_gets_the_same_memory) {
  pool p;
  std::byte* const first = p.buffers.take({&methods[0], 0, 1}, 1000);
  p.buffers.give_back(first);
  EXPECT_EQ(p.buffers.take({&methods[0], 0, 1}, 900), first);
  EXPECT_EQ(p.count.receive_buffers_made, 1U);
  EXPECT_EQ(p.count.receive_buffers_reused, 1U);
  p.buffers.give_back(first);
}

TEST(receive_buffers, other_methods_ranks_and_lengths_do_not) {
  pool p;
  std::byte* const first = p.buffers.take({&methods[0], 0, 1}, 1000);
  p.buffers.give_back(first);
  std::byte* const others[] = {p.buffers.take({&methods[1], 0, 1}, 1000), p.buffers.take({&methods[0], 0, 2}, 1000),
                               p.buffers.take({&methods[0], 7, 1}, 1000), p.buffers.take({&methods[0], 0, 1}, 2000)};
  for (std::byte* b : others) {
    EXPECT_NE(b, first);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b) % 16, 0U);
    p.buffers.give_back(b);
  }
  EXPECT_EQ(p.count.receive_buffers_reused, 0U);
}

TEST(receive_buffers, calls_in_flight_have_one_each) {
  pool p;
  std::byte* const a = p.buffers.take({&methods[0], 0, 1}, 600);
  std::byte* const b = p.buffers.take({&methods[0], 0, 1}, 600);
  EXPECT_NE(a, b);
  p.buffers.give_back(a);
  p.buffers.give_back(b);
  EXPECT_EQ(p.buffers.kept(), 2048U);
  EXPECT_EQ(p.buffers.take({&methods[0], 0, 1}, 600), b);  // the warm one
  p.buffers.give_back(b);
}

TEST(receive_buffers, the_oldest_go_when_there_are_too_many_bytes) {
  pool p;
  std::byte* buffers[4];
  for (int i = 0; i < 4; ++i) buffers[i] = p.buffers.take({&methods[0], 0, i}, 4096);
  for (std::byte* b : buffers) p.buffers.give_back(b);
  EXPECT_EQ(p.buffers.kept(), 8192U);
  EXPECT_EQ(p.count.receive_buffers_returned, 2U);
  std::byte* const kept = p.buffers.take({&methods[0], 0, 3}, 4096);
  EXPECT_EQ(kept, buffers[3]);
  p.buffers.set_limit(0);
  EXPECT_EQ(p.buffers.kept(), 0U);
  p.buffers.give_back(kept);
  EXPECT_EQ(p.count.receive_buffers_returned, 4U);
}

TEST(receive_buffers, an_object_is_kept_with_what_it_holds) {
  static int alive;
  alive = 0;
  struct object {
    object() { ++alive; }
    ~object() { --alive; }
  };
  const kept_object kind = {sizeof(object), [](void* at) { ::new (at) object(); },
                            [](void* at) noexcept { static_cast<object*>(at)->~object(); }};
  {
    pool p;
    void* const first = p.buffers.take({&methods[0], 0, 1}, kind);
    p.buffers.give_back(static_cast<std::byte*>(first), 1000);
    EXPECT_GE(p.buffers.kept(), 1000U);
    EXPECT_EQ(p.buffers.take({&methods[0], 0, 1}, kind), first);
    EXPECT_EQ(alive, 1);
    p.buffers.give_back(static_cast<std::byte*>(first), 9000);  // beyond the limit
    EXPECT_EQ(alive, 0);
    EXPECT_EQ(p.buffers.kept(), 0U);
    p.buffers.give_back(static_cast<std::byte*>(p.buffers.take({&methods[0], 0, 1}, kind)), 0);
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace armilla::detail
