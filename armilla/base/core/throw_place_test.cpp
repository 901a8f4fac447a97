// SPDX-License-Identifier: Apache-2.0
// Compiled with -g, unlike other tests: see CMakeLists.txt.
#include "armilla/base/core/throw_place.hpp"

#include <cstring>
#include <exception>
#include <source_location>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "armilla/base/core/call_stack.hpp"
#include "armilla/error.hpp"

using namespace armilla;

// Functions of a user, whose names lie in no namespace of the library.
static unsigned line_of_throw = 0;

// Sanitizers keep freed memory for a while.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static constexpr bool reuses_memory = false;
#elif defined(__has_feature)
static constexpr bool reuses_memory = !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer);
#else
static constexpr bool reuses_memory = true;
#endif

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

// The runtime gives the next exception of that size the memory of the last one, sooner or later.
TEST(throw_place, of_an_exception_in_the_memory_of_an_earlier_one_is_not_that_of_the_earlier_one) {
  const std::runtime_error* before = nullptr;
  bool again = false;
  for (int i = 0; i < 10'000 && !again; ++i) {
    try {
      fail(std::runtime_error("no"));
    } catch (const detail::passing&) { throw; } catch (const std::runtime_error& e) {
      before = &e;
      ASSERT_NE(detail::place_of_throw(std::current_exception()).module, 0U);
    }
    try {
      throw std::runtime_error("no");
    } catch (const std::runtime_error& e) {
      again = &e == before;
      ASSERT_EQ(detail::place_of_throw(std::current_exception()).module, 0U);
    }
  }
  EXPECT_EQ(again, reuses_memory);
}

TEST(throw_place, of_an_exception_that_is_thrown_on_is_where_it_was_thrown_first) {
  std::exception_ptr kept;
  try {
    fail(std::runtime_error("no"));
  } catch (const detail::passing&) { throw; } catch (...) {
    kept = std::current_exception();
  }
  try {
    std::rethrow_exception(kept);
  } catch (const detail::passing&) { throw; } catch (...) {
    const std::string where = detail::own_frame(detail::place_of_throw(std::current_exception()));
    EXPECT_TRUE(where.starts_with(expected())) << where;
  }
}

TEST(throw_place, of_a_pointer_is_not_known) {
  const std::string text = "no";
  EXPECT_EQ(place_of(text.c_str()).module, 0U);
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
