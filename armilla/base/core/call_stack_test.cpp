// SPDX-License-Identifier: Apache-2.0
// Compiled with -g, unlike other tests: see CMakeLists.txt.
#include "armilla/base/core/call_stack.hpp"

#include <algorithm>
#include <source_location>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "armilla/error.hpp"

using namespace armilla;

// Functions of a user, whose names lie in no namespace of the library.
[[gnu::noinline]] static std::string step(double x, unsigned& line) {
  try {
    line = std::source_location::current().line() + 1;
    detail::throw_usage("step", std::to_string(x));
  } catch (const error& e) { return e.where(); }
}

template <class T>
struct solver {
  [[gnu::noinline]] static std::string go(T x) {
    std::string where;
    const std::vector<T> all(1, x);
    std::ranges::for_each(all, [&](T) { where = detail::own_frame(detail::take_call_stack()); });
    return where;
  }
};

[[gnu::noinline]] static std::string of_lambda(unsigned& line) {
  const auto fail = [&line] {
    line = std::source_location::current().line() + 1;
    return detail::own_frame(detail::take_call_stack());
  };
  return fail();
}

TEST(call_stack, an_error_names_the_line_and_the_function_of_the_user) {
  unsigned line = 0;
  const std::string where = step(1, line);
  EXPECT_EQ(where, "call_stack_test.cpp:" + std::to_string(line) + ", in step(double, unsigned int&)");
}

TEST(call_stack, a_copy_of_an_error_knows_it_too) {
  const usage_error first("step", "no");
  const error copy = first;
  EXPECT_EQ(copy.where(), first.where());
  EXPECT_TRUE(copy.where().starts_with("call_stack_test.cpp:")) << copy.where();
}

TEST(call_stack, functions_of_the_standard_library_between_them_do_not_count) {
  const std::string where = solver<int>::go(3);
  EXPECT_TRUE(where.starts_with("call_stack_test.cpp:")) << where;
  EXPECT_NE(where.find("solver<int>::go(int)"), std::string::npos) << where;
}

TEST(call_stack, a_lambda_is_named_by_itself) {
  unsigned line = 0;
  const std::string where = of_lambda(line);
  EXPECT_TRUE(where.starts_with("call_stack_test.cpp:" + std::to_string(line) + ", in of_lambda(unsigned int&)::")) << where;
  EXPECT_EQ(where.find("operator()"), std::string::npos) << where;
}

TEST(call_stack, an_empty_one_names_nothing) { EXPECT_EQ(detail::own_frame(detail::call_stack{}), ""); }
