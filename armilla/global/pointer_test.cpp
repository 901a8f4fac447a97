// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/error.hpp"
#include "armilla/global/directory.hpp"
#include "armilla/global/global.hpp"
#include "armilla/global/rank_memory.hpp"
#include "armilla/sendable.hpp"

namespace armilla {
namespace {

using detail::global_address;
using detail::memory_kind;

struct base_part {
  int a;
};
struct record : base_part {
  double b;
};

static_assert(sizeof(global_ptr<int>) == 16 && std::is_trivially_copyable_v<global_ptr<int>>);
static_assert(trivially_sendable<global_ptr<int>> && trivially_sendable<spread_ptr<int>>);
static_assert(std::is_convertible_v<global_ptr<int>, global_ptr<const int>> &&
              std::is_convertible_v<global_ptr<int>, global_ptr<void>>);
static_assert(!std::is_convertible_v<global_ptr<const int>, global_ptr<int>> &&
              !std::is_convertible_v<global_ptr<int>, global_ptr<long>>);
static_assert(!std::is_copy_constructible_v<global_ref<int>>);
static_assert(!std::is_assignable_v<global_ref<const int>, int>);
static_assert(std::is_convertible_v<global_ref<int>, int> && std::is_assignable_v<global_ref<int>, int>);

global_ptr<int> at(rank_t rank, std::uint64_t offset, std::uint16_t generation = 0) {
  return global_ptr<int>(global_address::make(memory_kind::segment, rank, offset, generation));
}

TEST(global_ptr, is_null_when_value_initialised) {
  const global_ptr<int> p;
  EXPECT_FALSE(p);
  EXPECT_EQ(p, nullptr);
  EXPECT_EQ(p.rank(), -1);
}

TEST(global_ptr, counts_in_elements_on_one_rank) {
  auto p = at(3, 64);
  EXPECT_EQ((p + 4).address().offset, 80u);
  EXPECT_EQ((p - 4).address().offset, 48u);
  EXPECT_EQ((p + 4) - p, 4);
  EXPECT_EQ(p - (p + 4), -4);
  EXPECT_EQ((p + 7).rank(), 3);
  EXPECT_EQ(p++, at(3, 64));
  EXPECT_EQ(p, at(3, 68));
  EXPECT_EQ(--p, at(3, 64));
}

TEST(global_memory, of_ranks_side_by_side_on_one_host_is_loaded_from_directly) {
  std::byte memory[1];
  std::byte *const here = memory, *const far = nullptr;
  const std::byte* const one_host[] = {here, here, here};
  EXPECT_EQ(detail::direct_ranks(one_host, 3, 1), std::pair(0, 3));
  const std::byte* const two_hosts[] = {far, far, here, here, here};
  EXPECT_EQ(detail::direct_ranks(two_hosts, 5, 3), std::pair(2, 5));
  const std::byte* const dealt[] = {here, far, here, here, far, here};
  EXPECT_EQ(detail::direct_ranks(dealt, 6, 0), std::pair(0, 1));
  EXPECT_EQ(detail::direct_ranks(dealt, 6, 3), std::pair(2, 4));
  const std::byte* const alone[] = {far, here, far};
  EXPECT_EQ(detail::direct_ranks(alone, 3, 1), std::pair(1, 2));
}

TEST(global_ptr, compares_places_and_not_generations) {
  EXPECT_EQ(at(1, 8, 1), at(1, 8, 2));
  EXPECT_NE(at(1, 8), at(2, 8));
  EXPECT_LT(at(1, 16), at(2, 8));
  EXPECT_LT(at(1, 8), at(1, 16));
  EXPECT_EQ(std::hash<global_ptr<int>>{}(at(1, 8, 1)), std::hash<global_ptr<int>>{}(at(1, 8, 2)));
  std::unordered_set<global_ptr<int>> set;
  for (rank_t r = 0; r < 10; ++r)
    for (std::uint64_t o = 0; o < 400; o += 4) set.insert(at(r, o));
  EXPECT_EQ(set.size(), 1000u);
}

TEST(global_ptr, keeps_rank_and_kind_whatever_the_generation) {
  const auto a = global_address::make(memory_kind::process, 0x7fffffff, ~std::uint64_t{0}, 0xffff);
  EXPECT_EQ(a.kind(), memory_kind::process);
  EXPECT_EQ(a.rank(), 0x7fffffff);
  EXPECT_EQ(a.generation(), 0xffff);
}

TEST(global_ptr, points_to_members_of_bases_too) {
  const global_ptr<record> p(global_address::make(memory_kind::segment, 1, 160));
  EXPECT_EQ((&(p->*&record::b)).address().offset, 168u);
  EXPECT_EQ((&(p->*&record::a)).address().offset, 160u);
}

TEST(spread_array, divides_by_multiplying) {
  const std::uint64_t most = ~std::uint64_t{0} >> 1;
  std::vector<std::uint64_t> interesting = {0, 1, most - 1, most};
  for (int bit = 1; bit < 63; ++bit)
    for (const int more : {-1, 0, 1}) interesting.push_back((std::uint64_t{1} << bit) + std::uint64_t(more));
  for (std::uint64_t n = 1, i = 0; i < 200; ++i) interesting.push_back((n = n * 6364136223846793005 + 1442695040888963407) >> 1);
  for (const std::uint64_t d : interesting)
    for (const std::uint64_t n : interesting)
      if (d != 0 && detail::reciprocal(d).quotient(n) != n / d) FAIL() << n << " / " << d;
  for (std::uint64_t d = 1; d < 2000; ++d)
    for (const std::uint64_t times : {std::uint64_t{1}, std::uint64_t{1000}, most / d})
      for (const std::uint64_t n : {times * d - 1, times * d})
        if (detail::reciprocal(d).quotient(n) != n / d) FAIL() << n << " / " << d;
}

TEST(global_ptr, says_that_there_is_no_session) {
  EXPECT_THROW(static_cast<void>(int(*at(0, 64))), usage_error);
  EXPECT_THROW(*at(0, 64) = 1, usage_error);
  EXPECT_THROW(allocate<int>(1), usage_error);
  EXPECT_THROW(atomic_add(at(0, 64), 1), usage_error);
  EXPECT_THROW(put(at(0, 64), 1), usage_error);
  EXPECT_THROW(sync_memory(), usage_error);
  EXPECT_THROW(to_global(static_cast<int*>(nullptr)), usage_error);
}

TEST(opened_ranges, allow_what_lies_inside_one_of_them) {
  auto d = std::make_unique<detail::segment_directory>();
  const auto first = d->open(memory_kind::segment, 100, 200, detail::may_read);
  const auto second = d->open(memory_kind::process, 100, 200, detail::may_read | detail::may_write);
  EXPECT_TRUE(d->allows(memory_kind::segment, 100, 200, detail::may_read));
  EXPECT_FALSE(d->allows(memory_kind::segment, 100, 201, detail::may_read));
  EXPECT_FALSE(d->allows(memory_kind::segment, 99, 120, detail::may_read));
  EXPECT_FALSE(d->allows(memory_kind::segment, 120, 128, detail::may_write));
  EXPECT_TRUE(d->allows(memory_kind::process, 120, 128, detail::may_write));
  d->close(second);
  EXPECT_FALSE(d->allows(memory_kind::process, 120, 128, detail::may_read));
  d->close(first);
  EXPECT_FALSE(d->allows(memory_kind::segment, 120, 128, detail::may_read));
}

}  // namespace
}  // namespace armilla
