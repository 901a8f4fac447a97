// SPDX-License-Identifier: Apache-2.0
#include "armilla/fiber/stack_pool.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

constexpr std::size_t small_stack = 16 * 1024;

std::size_t known_of(const stack_pool& pool) {
  std::size_t n = 0;
  for (const fiber_record* f = pool.known(); f != nullptr; f = f->next_known) ++n;
  return n;
}

/// As a scheduler does it.
struct user {
  stack_pool pool;
  std::uint64_t taken = 0;

  fiber_record& take() {
    if (pool.too_many()) pool.trim(taken);
    ++taken;
    return pool.take();
  }
  void round(std::size_t n) {
    std::vector<fiber_record*> all;
    for (std::size_t i = 0; i < n; ++i) all.push_back(&take());
    for (fiber_record* f : all) pool.give_back(*f);
  }
};

TEST(stack_pool, rounds_of_one_size_use_the_same_stacks) {
  user u{{small_stack, 10}};
  for (int i = 0; i < 20; ++i) u.round(3000);
  EXPECT_EQ(known_of(u.pool), 3000U);
  for (const fiber_record* f = u.pool.known(); f != nullptr; f = f->next_known) ASSERT_LE(f->number, 3000U);
}

TEST(stack_pool, gives_the_memory_of_stacks_back_that_stay_idle) {
  user u{{small_stack, 10}};
  u.round(3000);
  for (int i = 0; i < 200'000; ++i) u.round(2);
  EXPECT_LE(known_of(u.pool), 12U);
  u.round(3000);
  EXPECT_EQ(known_of(u.pool), 3000U);
}

TEST(stack_pool, stacks_do_not_overlap) {
  user u{{small_stack, 10}};
  std::vector<const fiber_record*> all;
  for (int i = 0; i < 2000; ++i) all.push_back(&u.take());
  std::ranges::sort(all, {}, &fiber_record::lowest);
  for (std::size_t i = 1; i < all.size(); ++i)
    ASSERT_LE(reinterpret_cast<std::uintptr_t>(all[i - 1] + 1),
              reinterpret_cast<std::uintptr_t>(all[i]->lowest - all[i]->guard_bytes));
}

TEST(stack_pool, memory_below_a_stack_is_its_guard) {
  user u{{small_stack, 10}};
  for (int i = 0; i < 2000; ++i) {
    const fiber_record& f = u.take();
    ASSERT_TRUE(f.guarded);
    ASSERT_GE(f.guard_bytes, i < 1024 ? 1U << 20 : 1U << 16);
    ASSERT_TRUE(stack_pool::in_guard(f, f.lowest - 1));
    ASSERT_TRUE(stack_pool::in_guard(f, f.lowest - f.guard_bytes));
    ASSERT_FALSE(stack_pool::in_guard(f, f.lowest));
  }
}

#if !defined(__SANITIZE_THREAD__)  // each stack costs it a fiber
TEST(stack_pool, holds_more_stacks_than_the_kernel_allows_mappings) {
  user u{{small_stack, 10, stack_pool::guards::mapped}};
  std::vector<fiber_record*> all;
  for (int i = 0; i < 40'000; ++i) all.push_back(&u.take());
  EXPECT_TRUE(all.front()->guarded);
  fiber_record& last = *all.back();
  ASSERT_FALSE(last.guarded);
  EXPECT_FALSE(stack_pool::in_guard(last, last.lowest - 1));
  last.lowest[0] = std::byte{1};
  EXPECT_FALSE(stack_pool::overflowed(last));
  last.lowest[-8] = std::byte{1};
  EXPECT_TRUE(stack_pool::overflowed(last));
  fiber_record& other = *all[all.size() - 2];
  ASSERT_FALSE(other.guarded);
  *(other.lowest - other.guard_bytes) = std::byte{1};  // a large frame
  EXPECT_TRUE(stack_pool::overflowed(other));
}
#endif

}  // namespace
}  // namespace armilla::detail
