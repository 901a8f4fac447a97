// SPDX-License-Identifier: Apache-2.0
#include "armilla/print.hpp"

#include <chrono>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "armilla/error.hpp"
#include "armilla/steady_clock.hpp"

namespace {

template <class... T>
std::string printed(armilla::detail::print_format<std::type_identity_t<T>...> format, const T&... values) {
  const armilla::detail::print_value all[] = {armilla::detail::print_value(values)...};
  return armilla::detail::printed(format.text(), all, sizeof...(T));
}

TEST(print, values_stand_in_their_places) {
  EXPECT_EQ(printed("{} {} {} {} {}", 1, -2L, std::uint64_t(3), 'c', true), "1 -2 3 c true");
  EXPECT_EQ(printed("{:.2f}|{:>6}|{:04}", 1.0 / 3, std::string("text"), short(7)), "0.33|  text|0007");
  EXPECT_EQ(printed("{{{}}} {}", "literal", std::string_view("view")), "{literal} view");
}

TEST(print, a_value_that_does_not_fit_its_place_is_refused) {
  EXPECT_THROW(printed("{:d}", "text"), armilla::usage_error);
  EXPECT_THROW(printed("{:.2f}", std::string("text")), armilla::usage_error);
}

TEST(print, outside_of_a_session_there_is_no_rank) { EXPECT_THROW(armilla::print_on(0, "text"), armilla::usage_error); }

static_assert(std::chrono::is_clock_v<armilla::clock> && armilla::clock::is_steady);

TEST(clock, never_goes_back) {
  auto before = armilla::clock::now();
  for (int i = 0; i < 1000; ++i) {
    const auto now = armilla::clock::now();
    EXPECT_GE(now, before);
    before = now;
  }
  EXPECT_GE(armilla::seconds_since(before), 0.0);
}

}  // namespace
