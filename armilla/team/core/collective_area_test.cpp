// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/core/collective_area.hpp"

#include <set>

#include <gtest/gtest.h>

#include "armilla/team/core/member_transfer.hpp"

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

TEST(collective_layout, areas_that_lie_in_each_other_do_not_overlap) {
  const collective_layout layout{5, 3};
  std::set<std::size_t> taken;
  for (rank_t r = 0; r < 5; ++r)
    for (std::uint32_t slot = 0; slot < collective_layout::all_slots; ++slot)
      for (const std::size_t first : {layout.slot(slot), layout.exchange(slot, 0), layout.board(slot)}) {
        const std::size_t begin = layout.place(r, first), last = layout.room_at(first) - 1;
        EXPECT_TRUE(taken.insert(begin).second);
        EXPECT_EQ(layout.place(r, first + last), begin + last);
        for (const std::size_t more : {std::size_t{0}, last}) {
          EXPECT_EQ(layout.owner_of(begin + more), r);
          EXPECT_EQ(layout.offset_of(begin + more), first + more);
        }
        const auto next = taken.upper_bound(begin);
        EXPECT_TRUE(next == taken.end() || *next > begin + last);
        EXPECT_LE(begin + last, host_layout{5}.collectives_bytes());
      }
}

TEST(collective_layout, nothing_lies_behind_the_last_slot) {
  const std::size_t end = collective_layout::slot(collective_layout::all_slots);
  EXPECT_EQ(collective_layout::room_at(end - 8), 8U);
  EXPECT_EQ(collective_layout::room_at(end), 0U);
  EXPECT_EQ(collective_layout::room_at(collective_layout{4, 4}.exchange(0, 0)), host_layout::team_exchange_bytes);
}

TEST(collective_layout, flags_of_a_teams_members_lie_one_behind_the_other) {
  const collective_layout layout{1000, 1000};
  for (rank_t r = 1; r < 1000; ++r)
    EXPECT_EQ(layout.place(r, layout.slot(0)) - layout.place(r - 1, layout.slot(0)), collective_layout::slot_bytes);
}

}  // namespace
}  // namespace armilla::detail
