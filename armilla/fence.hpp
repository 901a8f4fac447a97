// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/team.hpp"

namespace armilla {

/// Completes all one-way operations of all ranks. Collective: all ranks call it.
///
/// Use it between two phases of a program, wherever one rank reads what another one wrote or sent. If only direct writes must be
/// seen, a `barrier` is enough; for part of the ranks, use `team::fence`.
///
///     am::global_ptr<long> p = am::allocate<long>(1);
///     am::async((am::rank() + 1) % am::ranks(), [](am::global_ptr<long> at) { *at = 7; }, p);
///     am::fence();                              // the write has been made
///
/// **What is complete when it returns.** Every one-way call that any rank sent has run, and so has every call that these caused,
/// and so on. Every `put` and `store` of every rank is complete. Containers have what was staged or buffered. It is a barrier,
/// too. The rank receives calls while it waits.
///
/// **Errors.** If the function of a one-way call threw, if an error is in a future that was destroyed before its value was taken,
/// or if an algorithm with `nowait` failed, `fence` throws the same `remote_error` on every rank: the first error of the lowest
/// rank. Throws `usage_error` inside a called function, in a function instance, in a fiber that a called function left, and while
/// another fiber of the rank is in a fence.
///
/// **Lost ranks.** If the job continues without ranks that it loses (ARMILLA_ON_LOSS=continue), the fence is among those that are
/// left, `living()`. The fence that notices a loss completes what the remaining ranks sent each other, and what the lost ones had
/// sent. Then it throws `rank_lost` once, the same on all. See docs/guide/death.md.
///
/// **Cost.** A barrier if all calls have run by then, two if some are in flight. Each generation of calls that calls cause may
/// add one.
///
/// Paper: STAPL, section 6.5, `rmi_fence`.
inline void fence() { detail::run_world_fence(); }

// ---- Implementation only below ----

namespace detail {
/// Before the last fence of a rank whose program may still have function instances in collectives of world.
void run_ending_fence(context& c);
}  // namespace detail

}  // namespace armilla
