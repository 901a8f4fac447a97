// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/layout.hpp"

#include <gtest/gtest.h>

#include "armilla/team/transfer.hpp"

namespace armilla::detail {
namespace {

TEST(CollectiveLayout, AMessageToEachOtherRankHasALineOfStaging) {
  for (rank_t ranks = 2; ranks <= collective_layout::most_ranks; ++ranks) {
    const collective_layout layout{ranks};
    ASSERT_GE(layout.staging_part(std::size_t(ranks) - 1), std::size_t(cache_line)) << ranks << " ranks";
  }
}

TEST(CollectiveLayout, AnElementOfAFoldFitsIntoALine) { EXPECT_LE(transfer::most_element, std::uint64_t(cache_line)); }

TEST(CollectiveLayout, WhatEachRankHasLiesInOrder) {
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
