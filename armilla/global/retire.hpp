// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of the library; no public header includes it.
#include <algorithm>
#include <cstdint>

#include "armilla/base/core/call_stack.hpp"
#include "armilla/base/core/check.hpp"
#include "armilla/global/address.hpp"
#include "armilla/global/retired_blocks.hpp"

namespace armilla::detail {

/// How the blocks of containers are aligned.
constexpr std::uint64_t container_alignment(std::uint64_t asked) noexcept {
  return std::max<std::uint64_t>(asked, checked ? retired_alignment : 64);
}

/// As deallocate_bytes, for a block of this rank, whose container ended at `end`. In the checked library plain accesses to it end
/// the rank from now on (see retired_blocks).
void retire_bytes(global_address at, const call_stack& end, const char* operation);

}  // namespace armilla::detail
