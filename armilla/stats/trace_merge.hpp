// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

struct trace_summary {
  rank_t ranks = 0;    ///< whose parts were there
  rank_t missing = 0;  ///< whose were not
  std::uint64_t events = 0, dropped = 0;
};

/// Writes what the parts hold to `file` as Chrome's trace events, which Perfetto opens. Parts that are no parts count as missing:
/// a rank may have been killed while it made its own. Throws usage_error if the file cannot be written.
trace_summary merge_traces(const std::string& file, const std::vector<std::vector<std::byte>>& parts, rank_t ranks);

/// The same of the files beside `file`, which it removes; then prints a line on stderr about what there is. Nothing throws. If
/// several processes do it at a time, one of them does; `file` appears when it is whole. False: it could not be written.
bool merge_trace_files(const std::string& file, rank_t ranks) noexcept;
/// Those files hold nothing of use, as the job has not begun.
void remove_trace_parts(const std::string& file, rank_t ranks) noexcept;
/// That line.
void say_traced(const std::string& file, const trace_summary& what);

}  // namespace armilla::detail
