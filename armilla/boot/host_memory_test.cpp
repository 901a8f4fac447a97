// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "armilla/base/address_space.hpp"
#include "armilla/base/limits.hpp"
#include "armilla/base/options.hpp"

namespace armilla::detail {
namespace {

TEST(host_memory, a_segment_that_nobody_asked_for_is_made_to_fit) {
  options settings;
  const rank_t ranks = half_of_addresses() >> 46 != 0 ? 1024 : 128;  // rings, too, must fit
  const host_layout layout = layout_for(ranks, settings);
  EXPECT_LE(layout.total(), half_of_addresses());
  EXPECT_GE(layout.segment_bytes, least_segment_bytes);
}

TEST(host_memory, two_mappings_are_one_memory) {
  options settings;
  settings.segment = 1 << 20;
  const host_layout layout = layout_for(2, settings);
  const int memory = create_host_memory(layout);
  std::byte* one = map_host_memory(memory, layout.total());
  std::byte* two = map_host_memory(memory, layout.total());
  one[layout.segment(1)] = std::byte{42};
  EXPECT_EQ(two[layout.segment(1)], std::byte{42});
  munmap(one, layout.total());
  munmap(two, layout.total());
  close(memory);
}

}  // namespace
}  // namespace armilla::detail
