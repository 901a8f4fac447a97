// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/collective_area.hpp"

#include <gtest/gtest.h>

#include "armilla/team/member_transfer.hpp"

namespace armilla::detail {
namespace {

TEST(collective_layout, a_message_to_each_other_rank_has_a_line_of_staging) {
  for (rank_t ranks = 2; ranks <= collective_layout::most_ranks; ++ranks) {
    const collective_layout layout{ranks};
    ASSERT_GE(layout.staging_part(std::size_t(ranks) - 1), std::size_t(cache_line)) << ranks << " ranks";
  }
}

TEST(collective_layout, an_element_of_a_fold_fits_into_a_line) {
  EXPECT_LE(member_transfer::most_element, std::uint64_t(cache_line));
}

// What a message shows in another's area stays in the line that it names.
TEST(collective_layout, a_line_is_a_cache_line_and_only_the_record_of_entered_collectives_is_longer) {
  const collective_layout layout{4};
  const std::size_t slot = collective_layout::slot(3);
  EXPECT_EQ(layout.line_at(slot + offsetof(team_slot, flat)), std::size_t(cache_line));
  EXPECT_EQ(layout.line_at(slot + offsetof(team_slot, entered)), sizeof(intention_line));
  EXPECT_EQ(layout.line_at(slot + offsetof(team_slot, entered) + cache_line), std::size_t(cache_line));
  EXPECT_EQ(layout.line_at(layout.pair(1, 2)), std::size_t(cache_line));
  EXPECT_EQ(layout.line_at(layout.exchange(1, 2)), std::size_t(cache_line));
  EXPECT_EQ(layout.line_at(layout.staging(1)), 0U);
}

TEST(collective_layout, what_each_rank_has_lies_in_order) {
  for (const rank_t ranks : {1, 2, 256, 257, 512, 513, 1024}) {
    const collective_layout layout{ranks};
    for (std::uint32_t slot = 0; slot < collective_layout::all_slots; ++slot) {
      EXPECT_LE(layout.exchange(slot, ranks), layout.staging(slot)) << ranks;
      EXPECT_LE(layout.staging(slot) + 2 * layout.staging_half(), layout.board(slot)) << ranks;
    }
    EXPECT_LE(layout.area(collective_layout::all_slots), host_layout{std::uint32_t(ranks)}.collective_bytes()) << ranks;
  }
}

}  // namespace
}  // namespace armilla::detail
