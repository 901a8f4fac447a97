// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "armilla/team/core/lines.hpp"
#include "armilla/team/core/record.hpp"

namespace armilla::detail {

/// Where new ranks come: which life of its place each member is. Else empty.
std::vector<std::uint32_t> lives_in(const team& t);
/// Whether `t` holds those that are left of `old`: `survivors` gave it of `old`, of a team that is left of it, or of one of which
/// both are left.
bool is_left_of(const team& t, const team& old);
/// Listens to losses: revokes what was made from teams that other members have given up.
void follow_survivors(context& self);
/// Makes the lines of a slot what they are at the start of a job. No member of its next team moves anything before all have.
[[gnu::cold]] void settle_slot(team_state& s, std::uint32_t slot);

}  // namespace armilla::detail
