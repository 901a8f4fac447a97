// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/collective_area.hpp"

#include <gtest/gtest.h>

#include "armilla/team/member_transfer.hpp"

namespace armilla::detail {
namespace {

TEST(collective_layout, a_message_to_each_other_rank_has_a_line_of_staging) {
  for (std::uint32_t ranks = 2; ranks <= std::uint32_t(most_local_ranks); ++ranks) {
    const collective_layout layout{ranks, ranks};
    ASSERT_GE(layout.staging_part(std::size_t(ranks) - 1), std::size_t(cache_line)) << ranks << " ranks";
  }
}

TEST(collective_layout, an_element_of_a_fold_fits_into_a_line) {
  EXPECT_LE(member_transfer::most_element, std::uint64_t(cache_line));
}

// What a message shows in another's area stays in the line that it names.
TEST(collective_layout, a_line_is_a_cache_line_and_only_the_record_of_entered_collectives_is_longer) {
  const std::size_t slot = collective_layout::slot(3);
  EXPECT_EQ(collective_layout::line_at(slot + offsetof(team_slot, flat)), std::size_t(cache_line));
  EXPECT_EQ(collective_layout::line_at(slot + offsetof(team_slot, entered)), sizeof(intention_line));
  EXPECT_EQ(collective_layout::line_at(slot + offsetof(team_slot, entered) + cache_line), std::size_t(cache_line));
  const collective_layout layout{4, 2};
  EXPECT_EQ(layout.line_at(layout.exchange(1, 2)), std::size_t(cache_line));
  EXPECT_EQ(layout.line_at(layout.board(1)), 0U);
}

TEST(collective_layout, what_each_rank_has_lies_in_order) {
  for (const std::uint32_t ranks : {1, 2, 9, 127, 128, 129, 256, 257, 512, 513, 1024, 65536}) {
    const collective_layout layout{ranks, std::min(ranks, std::uint32_t(most_local_ranks))};
    const host_layout host{layout.places, layout.locals};
    for (std::uint32_t slot = 0; slot < collective_layout::all_slots; ++slot) {
      EXPECT_GE(layout.exchange(slot, 0), collective_layout::slot(collective_layout::all_slots)) << ranks;
      EXPECT_LE(layout.exchange(slot, rank_t(ranks)), layout.exchange(slot + 1, 0)) << ranks;
      EXPECT_LE(layout.exchange(slot, rank_t(ranks)), collective_layout::board(0)) << ranks;
      EXPECT_LE(layout.pair(slot, local_rank{layout.locals}), layout.staging(slot)) << ranks;
      EXPECT_LE(layout.staging(slot) + 2 * layout.staging_half(), layout.pair(slot + 1, {})) << ranks;
    }
    EXPECT_LE(collective_layout::board(collective_layout::all_slots), host_layout::collective_bytes) << ranks;
    EXPECT_LE(layout.pair(collective_layout::all_slots, {}), host.staging_bytes()) << ranks;
  }
}

}  // namespace
}  // namespace armilla::detail
