// SPDX-License-Identifier: Apache-2.0
// Every grade on, whatever the build says.
#undef ARMILLA_CHECKED
#undef ARMILLA_PARANOID
#define ARMILLA_CHECKED 1
#define ARMILLA_PARANOID 1
#include "armilla/base/core/check.hpp"

#include <string>

#include <gtest/gtest.h>

#include "armilla/error.hpp"

namespace {

TEST(check, with_operation_and_text_throws_usage_error) {
  EXPECT_THROW(ARMILLA_REQUIRE(1 > 2, "put", "no"), armilla::usage_error);
  EXPECT_THROW(ARMILLA_CHECK(1 > 2, "put", std::string("no")), armilla::usage_error);
  EXPECT_THROW(ARMILLA_PARANOID(1 > 2, "put", "no"), armilla::usage_error);
}

TEST(check, without_one_names_condition_and_place_and_aborts) {
  EXPECT_DEATH(ARMILLA_CHECK(1 > 2), "\"1 > 2\" does not hold \\(.*check_test.cpp:[0-9]+\\)");
}

TEST(check, evaluates_the_text_only_if_it_fails) {
  int made = 0;
  const auto text = [&] { return ++made, "text"; };
  ARMILLA_REQUIRE(true, "put", text());
  EXPECT_EQ(made, 0);
}

}  // namespace
