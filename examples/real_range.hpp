// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sstream>
#include <string>

#include <CLI/CLI.hpp>

namespace examples {

/// A check of a real number on the command line: from `lowest` to `highest`. CLI::Range lets "nan" pass, which is neither less
/// nor more than anything.
inline CLI::Validator real_range(double lowest, double highest) {
  std::ostringstream range;
  range << lowest << " to " << highest;
  const auto check = [=, range = range.str()](const std::string& text) {
    double value = 0;
    const bool inside = CLI::detail::lexical_cast(text, value) && value >= lowest && value <= highest;
    return inside ? std::string() : "Value " + text + " not in range " + range;
  };
  return CLI::Validator(check, "from " + range.str());
}

}  // namespace examples
