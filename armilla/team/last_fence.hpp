// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/team/intention.hpp"
#include "armilla/team/record.hpp"

namespace armilla::detail {

/// A fence of a team that says `what` it is; throws what a fence throws.
void run_fence_as(team_record* team, const intention& what);

/// One of the fences of `team`, all ranks, with which functions and sessions end. Where ranks go on when one is lost
/// (ARMILLA_ON_LOSS=continue), it is one of those that are left, and loses no more than they do.
void end_among_living(team_record* team, const intention& what);

}  // namespace armilla::detail
