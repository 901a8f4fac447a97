// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "armilla/boot/wire_up/gathering.hpp"
#include "armilla/team/core/team_state.hpp"
#include "armilla/team/membership/agreement.hpp"
#include "armilla/team/membership/growth.hpp"

/// How the members that are left agree which these are where they are on several hosts: no memory of a lost rank can be read
/// there, and what it had begun to tell may have come to some of them only. So armilla-run gathers what they ask for, and gives
/// all the same answer (boot/wire_up/gathering.hpp).
namespace armilla::detail {

/// The row in which what is left of `t` is agreed on: one for all fences and barriers of all ranks, one for each other team.
gathering_row row_of(const team_record& t);

/// The members that asked, and what all of them allow of a new team.
struct gathered_choice {
  bool over = false, passed = false;  ///< as of gathered: there is no choice
  chosen_ranks chosen;
  survivor_board::request common{0, ~0u, 0};
};
/// `grows`: with new ranks that seek a team (`seek_team`).
gathered_choice gather_members(team_record& t, std::uint64_t step, const char* operation, bool grows);

/// All members of `made` are ready to use it, of which that row decides: on all of them, new ranks among them. False: one was
/// lost before, which all see.
bool gather_ready(team_record& made, const gathering_row& row, std::uint64_t step, const char* operation);

/// This new rank waits to be taken into a team: until it is in one, or `gatherings::no_team`.
void seek_team(team_state& s);

/// Gives this rank's part, and waits for those of all others, but for members that are in a life after `newest_life`.
gathered gather(context& c, const gathering_row& row, std::uint64_t step, const std::vector<rank_t>& members,
                std::string_view part, const char* operation, gathering_head::word what = gathering_head::word::ask,
                std::uint64_t newest_life = gathering_head::any_life);

/// Whether another member asks for what is left of `t`, further than this rank: it has given up the collectives of `t`.
bool another_asks(const team_record& t, std::uint64_t asked);

}  // namespace armilla::detail
