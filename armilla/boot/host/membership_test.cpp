// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/host/membership.hpp"

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

TEST(life, a_word_says_all) {
  const rank_life one{7, presence::coming};
  EXPECT_EQ(rank_life::from(one.word()).number, 7u);
  EXPECT_EQ(rank_life::from(one.word()).now, presence::coming);
}

TEST(life, generations_tell_their_life) {
  for (std::uint32_t last = 0; last < 12; ++last)
    for (std::uint32_t life = 0; life <= last; ++life)
      for (const std::uint32_t used : {0u, 1u, 1000u, 100'000'000u})
        EXPECT_EQ(life_of_generation(first_generation(life) + used, last), life) << used << " of life " << life << " of " << last;
}

}  // namespace
}  // namespace armilla::detail
