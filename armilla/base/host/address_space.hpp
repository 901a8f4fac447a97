// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/auxv.h>

#include <bit>
#include <cstdint>

namespace armilla::detail {

/// Half of what a process can address here: of 39, 42, 47 or 48 bits, by processor and kernel. What mmap gives, and
/// position-independent programs with their heaps, lie above it; the first stack lies at the upper end.
inline std::uint64_t half_of_addresses() noexcept {
  static const std::uint64_t half = std::bit_floor(std::uint64_t(getauxval(AT_RANDOM)));
  return half;
}

}  // namespace armilla::detail
