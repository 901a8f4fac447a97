// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/values/escaped.hpp"

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

TEST(escaped, keeps_letters_of_every_language) {
  EXPECT_EQ(escaped("plain, \\ and größer, 日本, 🙂"), "plain, \\ and größer, 日本, 🙂");
}

TEST(escaped, shows_what_a_terminal_would_obey) {
  EXPECT_EQ(escaped("a\x1b[31mb\nc\td\re\x7f"), "a\\x1b[31mb\\nc\\td\\re\\x7f");
  EXPECT_EQ(escaped(std::string_view("\0\x07", 2)), "\\x00\\x07");
}

TEST(escaped, shows_controls_of_two_bytes) {
  EXPECT_EQ(escaped("\xc2\x9b"
                    "31m"),
            "\\xc2\\x9b31m");
}

TEST(escaped, shows_what_is_no_utf_8) {
  EXPECT_EQ(escaped("\xff\x80"), "\\xff\\x80");
  EXPECT_EQ(escaped("\xe6\x97"), "\\xe6\\x97");                             // cut off
  EXPECT_EQ(escaped("\xc0\xaf\xe0\x80\xaf"), "\\xc0\\xaf\\xe0\\x80\\xaf");  // longer than need be
  EXPECT_EQ(escaped("\xed\xa0\x80"), "\\xed\\xa0\\x80");                    // half of a pair
  EXPECT_EQ(escaped("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");           // beyond the last character
}

TEST(escaped, does_not_escape_twice) { EXPECT_EQ(escaped(escaped("\x1b\n")), escaped("\x1b\n")); }

TEST(escaped, keeps_what_it_is_told_to) { EXPECT_EQ(escaped("a\nb\x1b", "\n"), "a\nb\\x1b"); }

TEST(escaped, fills_a_buffer_with_whole_characters) {
  char out[8];
  EXPECT_EQ(std::string_view(out, escape_into(out, sizeof out,
                                              "abc\x1b"
                                              "d")),
            "abc\\x1bd");
  EXPECT_EQ(std::string_view(out, escape_into(out, 6,
                                              "abc\x1b"
                                              "d")),
            "abc");
  EXPECT_EQ(std::string_view(out, escape_into(out, 4, "ab日本")), "ab");
}

}  // namespace
}  // namespace armilla::detail
