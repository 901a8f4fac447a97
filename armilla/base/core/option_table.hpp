// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/base/core/options.hpp"

namespace armilla::detail {

/// One option: what its value may be, in words, what it does, and how a value is read (false: not allowed) and shown.
struct option_row {
  std::string name, allowed, text;
  std::function<bool(options&, std::string_view)> read;
  std::function<std::string(const options&)> show;
  bool shared = false;                  ///< all ranks must have it alike
  bool tunable = false;                 ///< the tuned file may set it: it changes the speed of a job, and nothing else
  std::string usual = {};               ///< the default in words, where it depends on the machine
  std::string heading = {};             ///< of the group of options to which it belongs
  std::string alias = {};               ///< an earlier name, understood where the name itself is not given
  std::vector<std::string> words = {};  ///< the values of a choice
};

/// "ring" -> "ARMILLA_RING".
std::string variable_of(std::string_view name);

/// All options, in the order of the manual.
const std::vector<option_row>& option_table();

}  // namespace armilla::detail
