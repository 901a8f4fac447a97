// SPDX-License-Identifier: Apache-2.0
// The words of a command line as the arguments of a function.
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

/// What a program of these words exits with.
template <class F>
int run_with(std::vector<std::string> words, const char* names, F f) {
  std::vector<char*> argv;
  words.insert(words.begin(), "program");
  for (std::string& word : words) argv.push_back(word.data());
  return am::detail::with_arguments(am::detail::argument_words(int(argv.size()), argv.data(), names), f)();
}

int is_seven(int n) noexcept { return n == 7 ? 0 : 3; }

}  // namespace

RANK_TEST(words_become_the_values_that_the_function_takes) {
  const auto check = [](const std::string& file, std::string_view text, const char* raw, std::uint64_t big, double x,
                        short small) {
    EXPECT_EQ(file, "a file");
    EXPECT_EQ(text, "-2");
    EXPECT_EQ(std::string(raw), "");
    EXPECT_EQ(big, 18446744073709551615U);
    EXPECT_EQ(x, -1.5e3);
    EXPECT_EQ(small, -3);
  };
  EXPECT_EQ(run_with({"a file", "-2", "", "18446744073709551615", "-1.5e3", "-3"}, "A B C D E F", check), 0);
}

RANK_TEST(the_result_says_how_the_program_ends) {
  EXPECT_EQ(run_with({"7"}, "N", is_seven), 0);
  EXPECT_EQ(run_with({"8"}, "N", is_seven), 3);
  EXPECT_EQ(run_with({"8"}, "N", [](int n) { return n == 8; }), 0);
  EXPECT_EQ(run_with({"9"}, "N", [](int n) { return n == 8; }), 1);
  int calls = 0;
  EXPECT_EQ(run_with({}, "", [&calls]() mutable { ++calls; }), 0);
  EXPECT_EQ(calls, 1);
}

RANK_TEST(other_words_than_the_function_takes_are_refused) {
  const auto never = [](int, double) { EXPECT(false); };
  for (const std::vector<std::string>& words : {std::vector<std::string>{},
                                                {"1"},
                                                {"1", "2", "3"},
                                                {"one", "2"},
                                                {"1", ""},
                                                {"1", "2x"},
                                                {"2147483648", "2"},
                                                {"1.5", "2"}})
    EXPECT_EQ(run_with(words, "N X", never), 2);
  EXPECT_EQ(run_with({"-1"}, "N", [](unsigned) {}), 2);
  EXPECT_THROWS_SAYING(am::usage_error, "\"N\" names 1 arguments, and the function takes 2", run_with({"1", "2"}, "N", never));
}

RANK_TEST(a_bool_says_whether_it_went_well_with_and_without_words) {
  for (const bool well : {true, false}) {
    const auto f = [well] { return well; };
    EXPECT_EQ(am::detail::call_copy<decltype(f)>(&f), well ? 0 : 1);
    EXPECT_EQ(run_with({}, "", f), well ? 0 : 1);
  }
}
