// SPDX-License-Identifier: Apache-2.0
// The checksum is XXH64, so that other programs can compute it.
#include "armilla/container/image/checksum.hpp"

#include <string>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

std::uint64_t of(const std::string& text) { return checksum_of(text.data(), text.size()); }

}  // namespace

TEST(checksum, is_that_of_the_published_examples) {
  EXPECT_EQ(of(""), 0xef46db3751d8e999u);
  EXPECT_EQ(of("a"), 0xd24ec4f1a98c6e5bu);
  EXPECT_EQ(of("abc"), 0x44bc2cf5ad770999u);
  EXPECT_EQ(of("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1u);
}

TEST(checksum, changes_with_each_bit_of_each_length) {
  for (std::size_t n = 1; n < 100; ++n) {
    std::string text(n, 'x');
    const std::uint64_t before = of(text);
    for (std::size_t bit = 0; bit < 8 * n; ++bit) {
      text[bit / 8] = char(text[bit / 8] ^ 1 << bit % 8);
      EXPECT_NE(of(text), before);
      text[bit / 8] = char(text[bit / 8] ^ 1 << bit % 8);
    }
    EXPECT_NE(of(text + '\0'), before);
  }
}

}  // namespace armilla::detail
