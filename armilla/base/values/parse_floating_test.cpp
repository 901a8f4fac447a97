// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/values/parse_floating.hpp"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace {

using armilla::detail::parse_floating;

TEST(parse_floating, reads_what_is_a_number_from_end_to_end) {
  double value = 0;
  for (const auto& [text, wanted] :
       {std::pair{"0", 0.0}, {"-2.5", -2.5}, {"1e3", 1000.0}, {".5", 0.5}, {"5.", 5.0}, {"1e-300", 1e-300}}) {
    EXPECT_TRUE(parse_floating(text, value)) << text;
    EXPECT_EQ(value, wanted) << text;
  }
  EXPECT_TRUE(parse_floating("inf", value));
  EXPECT_EQ(value, std::numeric_limits<double>::infinity());
}

TEST(parse_floating, what_is_too_small_for_the_type_is_zero) {
  double value = 42;
  EXPECT_TRUE(parse_floating("-1e-400", value));
  EXPECT_EQ(value, 0);
  EXPECT_TRUE(std::signbit(value));
  EXPECT_TRUE(parse_floating("4.9e-324", value));
  EXPECT_EQ(value, std::numeric_limits<double>::denorm_min());
  float single = 42;
  EXPECT_TRUE(parse_floating("1e-60", single));
  EXPECT_EQ(single, 0);
}

TEST(parse_floating, refuses_the_rest_and_leaves_the_value) {
  double value = 42;
  for (const char* text : {"", " 1", "1 ", "+1", "0x10", "1,5", "one", "1e", "--1", "1e999", "-1e999"}) {
    EXPECT_FALSE(parse_floating(text, value)) << text;
    EXPECT_EQ(value, 42) << text;
  }
}

TEST(parse_floating, does_not_read_beyond_the_field) {
  float value = 0;
  EXPECT_TRUE(parse_floating(std::string_view("1234", 2), value));
  EXPECT_EQ(value, 12.0f);
}

}  // namespace
