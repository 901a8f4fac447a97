// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/stats/trace_part.hpp"

/// The parts of a trace as they are read to be merged.
namespace armilla::detail {

/// A part that was read: nothing in it is trusted.
struct trace_record {
  trace_head head;
  std::vector<trace_event> events;  // the oldest first
  std::vector<std::string> names;
  std::vector<std::int64_t> at;  // of the events, in whole nanoseconds: rounded ends of neighbours do not overlap
};

/// False where the bytes are not a part.
bool read_trace_part(const std::vector<std::byte>& bytes, trace_record& into);

/// Sets `at` of all events, on one clock for all that share a counter, the first of all events at 0, and in an order that can be:
/// none before its predecessor, no frame's arrival before it left.
void set_trace_times(std::vector<trace_record>& parts);

/// Of a frame: its two ends count to the same number.
inline std::uint64_t arrow_key(rank_t from, rank_t to, std::uint32_t number) {
  return std::uint64_t(std::uint16_t(from)) << 48 | std::uint64_t(std::uint16_t(to)) << 32 | number;
}

}  // namespace armilla::detail
