// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace armilla::detail {

/// The bounds that several layers must agree on: options, launchers and what they start.
inline constexpr int most_ranks = 65536;          ///< of a job
inline constexpr int most_local_ranks = 1024;     ///< of a job on one host
inline constexpr int most_lasting_ranks = 1024;   ///< of a job of one host that goes on when a rank is lost, or that others join
inline constexpr std::size_t most_new_ranks = 8;  ///< that a team takes in at a time, of those that came into the running job
inline constexpr std::uint64_t least_segment_bytes = std::uint64_t{4} << 20;
inline constexpr std::uint64_t most_segment_bytes = std::uint64_t{1} << 46;

/// Whether a negative number may have been given for this count: errors then ask.
constexpr bool looks_negative(std::uint64_t n) noexcept { return n >> 63 != 0; }

}  // namespace armilla::detail
