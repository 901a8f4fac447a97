// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/base/options.hpp"

namespace armilla::detail {

/// One option: how its text is read (false: not allowed) and shown.
struct option_row {
  std::string name, allowed, text;
  std::function<bool(options&, std::string_view)> read;
  std::function<std::string(const options&)> show;
  bool shared = false;  ///< all ranks must have it alike
};

/// All options, in the order of the manual.
const std::vector<option_row>& option_table();

}  // namespace armilla::detail
