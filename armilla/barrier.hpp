// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/team.hpp"

namespace armilla {

/// Returns when every rank has entered. Calls that come in meanwhile are answered; those still under way may arrive
/// later: `fence()` waits for them. What any rank wrote before, every rank sees afterwards: a barrier is release on entry
/// and acquire on exit for all memory.
///
/// Inside a body: usage_error. Cost, two ranks on two cores: less than the round trip of one cache line.
///
/// Paper: STAPL, section 6.5: the barrier of a library that must answer calls cannot be one that blocks.
inline void barrier() { detail::run_world_barrier(); }

}  // namespace armilla
