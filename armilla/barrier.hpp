// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/team.hpp"

namespace armilla {

/// Returns when every rank has entered. Collective: all ranks call it.
///
/// Use it when ranks must see what others wrote directly. It completes nothing: one-way calls that were sent before may run
/// later; `fence()` waits for them.
///
/// **Order.** What any rank wrote before it entered, every rank sees afterwards: a barrier releases on entry and acquires on
/// exit, for all memory. The rank receives calls while it waits.
///
/// **Errors.** Throws `usage_error` inside a called function.
///
/// **Cost.** For two ranks on two cores, less than the round trip of one cache line.
///
/// Paper: STAPL, section 6.5: the barrier of a library that must answer calls cannot be one that blocks.
inline void barrier() { detail::run_world_barrier(); }

}  // namespace armilla
