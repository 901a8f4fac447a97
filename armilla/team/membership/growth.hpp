// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "armilla/team/core/lines.hpp"
#include "armilla/team/core/record.hpp"

/// New ranks, which have taken the place of lost ranks or joined the running job, and teams that take them in.
namespace armilla::detail {

class outbox;
struct invitation;

/// The ranks of a team that is to be: of the members of the one before it their numbers there, and new ranks.
struct chosen_ranks {
  std::vector<std::uint32_t> members;
  std::vector<new_rank> new_ranks;
};

/// The teams of the start have lost this rank's place: at its start as a new rank.
void begin_as_new_rank(team_state& s);
/// usage_error that names `what` on a new rank: the team of all ranks has lost its place, or never had one for it.
void require_member(const team_state& s, const char* what);

new_rank_board& board_of_new_rank(const team_state& s, rank_t r) noexcept;
/// Those that this rank finds, up to `most_new_ranks`.
std::vector<new_rank> new_ranks_that_ask(const team_state& s);
/// Each is ready to use the team of that id, or will not be.
bool new_ranks_have_answered(const team_state& s, const std::vector<new_rank>& all, std::uint64_t team) noexcept;
bool new_ranks_are_ready(const team_state& s, const std::vector<new_rank>& all, std::uint64_t team) noexcept;

/// Tells a new rank of a team. Each member does, for any may be lost meanwhile.
void invite(outbox& out, const new_rank& to, const invitation& what);

}  // namespace armilla::detail
