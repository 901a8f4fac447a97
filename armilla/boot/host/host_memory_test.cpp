// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/host_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <gtest/gtest.h>

#include "armilla/base/core/options.hpp"
#include "armilla/base/host/address_space.hpp"
#include "armilla/base/values/limits.hpp"

namespace armilla::detail {
namespace {

TEST(host_memory, a_segment_that_nobody_asked_for_is_made_to_fit) {
  options settings;
  const rank_t ranks = half_of_addresses() >> 46 != 0 ? 1024 : 128;  // rings, too, must fit
  const host_layout layout = layout_for(ranks, ranks, settings);
  EXPECT_LE(layout.total(), half_of_addresses());
  EXPECT_GE(layout.segment_bytes, least_segment_bytes);
  // What is dropped by the kernel is whole pages.
  EXPECT_EQ(layout.collectives() % host_layout::page, 0U);
  EXPECT_EQ(layout.staging(local_rank{1}) % host_layout::page, 0U);
  EXPECT_EQ(layout.ring(0, local_rank{1}, local_rank{0}) % host_layout::page, 0U);
  EXPECT_EQ(layout.segment(local_rank{1}) % host_layout::page, 0U);
}

TEST(host_memory, two_mappings_are_one_memory) {
  options settings;
  settings.segment = 1 << 20;
  const host_layout layout = layout_for(2, 2, settings);
  const int memory = create_host_memory(layout);
  std::byte* one = map_host_memory(memory, layout.total());
  std::byte* two = map_host_memory(memory, layout.total());
  one[layout.segment(local_rank{1})] = std::byte{42};
  EXPECT_EQ(two[layout.segment(local_rank{1})], std::byte{42});
  munmap(one, layout.total());
  munmap(two, layout.total());
  close(memory);
}

TEST(host_memory, a_part_lies_at_its_place_in_a_large_page) {
  options settings;
  settings.segment = 8 << 20;
  const host_layout layout = layout_for(1, 1, settings);
  const int memory = create_host_memory(layout);
  std::byte* const all = map_host_memory(memory, layout.total());
  for (const std::uint64_t behind : {std::uint64_t{0}, std::uint64_t{3 * 65536}, host_layout::huge_page - 65536}) {
    const std::uint64_t first = layout.segment({}) + behind, bytes = 3 << 20;
    std::byte* const part = map_part_of_memory(memory, first, bytes);
    ASSERT_NE(part, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(part) % host_layout::huge_page, first % host_layout::huge_page);
    part[bytes - 1] = std::byte{42};
    EXPECT_EQ(std::exchange(all[first + bytes - 1], std::byte{0}), std::byte{42});
    munmap(part, bytes);
  }
  EXPECT_EQ(map_part_of_memory(-1, 0, 4096), nullptr);
  EXPECT_EQ(errno, EBADF);
  munmap(all, layout.total());
  close(memory);
}

}  // namespace
}  // namespace armilla::detail
