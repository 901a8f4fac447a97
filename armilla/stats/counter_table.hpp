// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>

#include "armilla/stats/counters.hpp"
#include "armilla/stats/stopwatch.hpp"

namespace armilla::detail {

/// A counter as reports show it. The table is in the order of the members, and complete.
struct counter_row {
  const char* name;  ///< of the member, and in JSON
  std::uint64_t counters::* member;
  const char* group;  ///< rows of one heading stand together
  component part;     ///< of the MRPC paper, to which the group belongs
};

std::span<const counter_row> counter_table() noexcept;

/// "thread management".
const char* name_of(component c) noexcept;
/// "thread_mgmt", the paper's word, for JSON.
const char* short_name_of(component c) noexcept;

}  // namespace armilla::detail
