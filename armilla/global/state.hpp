// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/base/context.hpp"

namespace armilla::detail {

struct launch;

/// Who waits for an operation that goes by messages.
enum class far_group : std::uint8_t { split, stores, blocking };
inline constexpr unsigned far_groups = 3;

/// The part of the layer's state that inline functions touch; the rest is rank_memory.
struct memory_state {
  std::uint64_t unfinished[far_groups] = {};  ///< pieces under way by message
  bool failed = false;                        ///< a split-phase operation or a store failed; sync says so
  std::uint64_t per_rank_begin = 0;           ///< in the segment of every rank of this program
  std::byte* per_rank = nullptr;              ///< this rank's copies
};

void start_memory(context&, const launch&);
void stop_memory(context&);

}  // namespace armilla::detail
