// SPDX-License-Identifier: Apache-2.0
// Compiled with -g, unlike other tests: see CMakeLists.txt.
#include "armilla/base/core/throw_place.hpp"

#include <cstring>
#include <source_location>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "armilla/base/core/call_stack.hpp"
#include "armilla/error.hpp"

using namespace armilla;

// Functions of a user, whose names lie in no namespace of the library.
static unsigned line_of_throw = 0;

struct noisy {
  ~noisy() {
    try {
      throw 3;
    } catch (int) {}
  }
};

template <class E>
[[gnu::noinline]] static void fail(const E& error) {
  const noisy one;  // an exception while the other one is on its way
  line_of_throw = std::source_location::current().line() + 1;
  throw error;
}

template <class E>
[[gnu::noinline]] static detail::throw_place place_of(const E& error) {
  try {
    fail(error);
  } catch (const detail::passing&) { throw; } catch (...) {
    return detail::place_of_throw(std::current_exception());
  }
  return {};
}

static std::string expected() { return "throw_place_test.cpp:" + std::to_string(line_of_throw) + ", in void fail<"; }

TEST(throw_place, is_that_of_an_exception_of_any_type) {
  for (const detail::throw_place& place : {place_of(std::runtime_error("no")), place_of(7), place_of(usage_error("f", "no"))}) {
    const std::string where = detail::own_frame(place);
    EXPECT_TRUE(where.starts_with(expected())) << where;
  }
}

TEST(throw_place, of_an_exception_that_has_passed_none_is_not_known) {
  try {
    fail(std::runtime_error("no"));
  } catch (...) { EXPECT_EQ(detail::place_of_throw(std::current_exception()).module, 0U); }
  EXPECT_EQ(detail::own_frame(detail::throw_place{}), "");
}

TEST(throw_place, is_forgotten_with_its_exception) {
  try {
    try {
      fail(std::runtime_error("no"));
    } catch (const detail::passing&) { throw; } catch (...) {
      EXPECT_NE(detail::place_of_throw(std::current_exception()).module, 0U);
      detail::forget_throw();
      throw;
    }
  } catch (...) { EXPECT_EQ(detail::place_of_throw(std::current_exception()).module, 0U); }
}

TEST(throw_place, a_passing_catches_nothing) {
  int caught = 0;
  try {
    try {
      throw 7;
    } catch (const detail::passing&) { caught = 1; }
  } catch (int n) { caught = n; }
  EXPECT_EQ(caught, 7);
}

TEST(throw_place, travels_in_a_remote_error_from_rank_to_rank) {
  const remote_error there(3, "call", "std::runtime_error", "no", place_of(std::runtime_error("no")));
  EXPECT_TRUE(there.thrown_at().starts_with(expected())) << there.thrown_at();
  const remote_error here(3, "call", there.type_name(), there.text(), place_of(there));  // thrown on
  EXPECT_EQ(here.thrown_at(), there.thrown_at());
  EXPECT_TRUE(here.where().starts_with("throw_place_test.cpp:")) << here.where();
}

TEST(throw_place, of_another_program_is_its_name_and_an_address) {
  detail::throw_place place;
  place.module = 1;
  place.size = 1;
  place.offset[0] = 0x1234;
  std::strcpy(place.file, "worker");
  EXPECT_EQ(detail::own_frame(place), "in worker+0x1234");
}
