// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "armilla/error.hpp"
#include "armilla/print.hpp"
#include "armilla/session/arguments_inline.hpp"

namespace armilla::detail {
namespace {

std::vector<std::string> words_of(const char* names) {
  std::istringstream all(names);
  std::vector<std::string> words;
  for (std::string word; all >> word;) words.push_back(word);
  return words;
}

}  // namespace

bool argument_words::has(std::size_t n) const {
  if (const std::size_t named = words_of(names_).size(); named != n)
    throw_usage("run",
                fmt::format("\"{}\" names {} arguments, and the function takes {}; give one word for each", names_, named, n));
  return argc_ > 0 && std::size_t(argc_) == n + 1;
}

int argument_words::refuse(std::size_t wrong) const {
  std::string what;
  if (wrong != good) what = fmt::format("{} is '{}', which is no number for it\n", words_of(names_)[wrong], argv_[wrong + 1]);
  armilla::print_on(0, "{}usage: {} {}\n", what, std::string_view(argc_ > 0 ? argv_[0] : "PROGRAM"), std::string_view(names_));
  return 2;
}

}  // namespace armilla::detail
