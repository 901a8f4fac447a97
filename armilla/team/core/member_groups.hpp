// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/values/collective_pattern.hpp"
#include "armilla/team/core/record.hpp"

namespace armilla::detail {

/// Decides which members of a new team are a group (see groups.hpp), and from which size on its collectives go by pairs, given
/// the option.
void choose_groups(team_record& t, exchange_pattern asked);

}  // namespace armilla::detail
