// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/watch/posted_text.hpp"

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

using words = std::atomic<std::uint64_t>[2];

TEST(posted_text, is_read_as_it_was_posted) {
  words posted{};
  post_text(posted, "fill");
  EXPECT_EQ(posted_text(posted), "fill");
}

TEST(posted_text, nothing_posted_is_empty) {
  const words posted{};
  EXPECT_EQ(posted_text(posted), "");
}

TEST(posted_text, a_shorter_text_leaves_nothing_of_a_longer_one) {
  words posted{};
  post_text(posted, "partition");
  post_text(posted, "sort");
  EXPECT_EQ(posted_text(posted), "sort");
}

TEST(posted_text, what_does_not_fit_is_cut) {
  words posted{};
  post_text(posted, "inclusive_scan");
  EXPECT_EQ(posted_text(posted), "inclusive_scan");
  post_text(posted, "0123456789abcdefg");
  EXPECT_EQ(posted_text(posted), "0123456789abcdef");
}

}  // namespace
}  // namespace armilla::detail
