// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace armilla::detail {

/// What ARMILLA_STATS asks for: words separated by commas.
struct stats_request {
  bool print = false;   ///< "1", or "timing" without a file
  bool timing = false;  ///< "timing"
  std::string file;     ///< "name.json"

  bool any() const noexcept { return print || timing || !file.empty(); }
};

stats_request parse_stats(std::string_view text);

/// Throws a usage_error that names `variable` and says why if the file cannot be written. Done at the start of a job, so that no
/// job learns at its end that its statistics are lost. A file of an earlier job stays until there is a new one.
void require_writable(const char* variable, const std::string& file);

}  // namespace armilla::detail
