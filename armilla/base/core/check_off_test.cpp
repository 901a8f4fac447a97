// SPDX-License-Identifier: Apache-2.0
// The optional grades off, whatever the build says.
#undef ARMILLA_CHECKED
#undef ARMILLA_PARANOID
#define ARMILLA_CHECKED 0
#define ARMILLA_PARANOID 0
#include <gtest/gtest.h>

#include "armilla/base/core/check.hpp"
#include "armilla/error.hpp"

namespace {

TEST(check_off, only_require_is_left) {
  int looked = 0;
  ARMILLA_CHECK(++looked > 5, "put", "no");
  ARMILLA_PARANOID(++looked > 5, "put", "no");
  EXPECT_EQ(looked, 0);
  EXPECT_THROW(ARMILLA_REQUIRE(false, "put", "no"), armilla::usage_error);
}

}  // namespace
