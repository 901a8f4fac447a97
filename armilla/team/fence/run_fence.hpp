// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/team/core/intention.hpp"
#include "armilla/team/core/record.hpp"

namespace armilla::detail {

/// A fence of a team that says `what` it is; throws what a fence throws.
void run_fence_as(team_record* team, const intention& what);

}  // namespace armilla::detail
