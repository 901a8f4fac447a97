// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/team.hpp"

namespace armilla {

/// Returns when every statement that any rank sent, and every statement these caused, and so on, has run everywhere, and
/// every `put` and `store` is complete. All ranks call it. It is a barrier, too, and answers calls while it waits.
///
/// If the function of a one-way call threw, or an error is in a future that was destroyed before it was asked, or an algorithm
/// with `nowait` failed, `fence` throws the same `remote_error` on every rank: the first error of the lowest rank.
///
/// Inside a body, in a function instance, in a fiber that a body left behind, and while another fiber of the rank is inside a
/// fence: usage_error. Cost: one meeting of all ranks (a barrier) if all statements have run by then, two where some are on their
/// way; each generation of statements that statements cause may add one.
///
/// Where the job goes on without ranks that it loses (ARMILLA_ON_LOSS=continue) it is over among those that are left, `living()`:
/// the fence in which a loss is met completes what they sent each other, and what the lost had sent, then throws `rank_lost`
/// once, the same on all. See docs/guide/death.md.
///
/// Paper: STAPL, section 6.5, `rmi_fence`.
inline void fence() { detail::run_world_fence(); }

namespace detail {
/// Before the last fence of a rank whose program may still have function instances in collectives of world.
void run_ending_fence(context& c);
}  // namespace detail

}  // namespace armilla
