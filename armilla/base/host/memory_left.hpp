// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace armilla::detail {

inline constexpr std::uint64_t no_bound = UINT64_MAX;

/// Requests below this are made without a look at what is left.
inline constexpr std::uint64_t large_request = std::uint64_t{64} << 20;

/// Bytes that may be touched on this host before the kernel ends processes: what its memory and the control groups of this
/// process have left, but for a part that stays free. `no_bound` where the system does not say. Cost: some 100 microseconds.
/// `root` stands before the names of the system's files, for tests.
std::uint64_t memory_left(const std::string& root = "");

/// What to do where `bytes` do not fit into a segment: raise ARMILLA_SEGMENT, unless this host has less memory than that.
/// `half`: of what one half of a segment is.
std::string remedy_for_segment(std::uint64_t bytes, const char* half = "objects of one rank");

/// How many of the `bytes` from `begin` on, which are shared memory of this process, the kernel has not given yet. One page of
/// each 2 MiB is looked at. Cost: some 200 microseconds a GiB.
std::uint64_t untouched_bytes(const std::byte* begin, std::uint64_t bytes);

}  // namespace armilla::detail
