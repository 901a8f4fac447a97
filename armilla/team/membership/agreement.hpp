// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

#include "armilla/team/core/record.hpp"

namespace armilla::detail {

/// What came of one try to agree.
struct agreed {
  team_record* team = nullptr;  ///< of those that are left, which is referred to by no value yet. Null: one of them was lost in
                                ///< time for all to see it, and all try again; or it is over
  bool over = false;            ///< `over` said so, and nothing was decided
  bool passed = false;          ///< over several hosts: it is over because a member has passed it
};

/// The members of `t` that are not lost, nor at the end of their functions, agree which they are, and have a team then. A
/// collective of them on one host. `step`: beyond that of each try before; the next number is used, too. `over`: asked now and
/// then while nothing is decided; true on one member does not end it for the others. `grows`: with the new ranks that one of
/// them finds.
agreed agree_on_team(team_record& t, std::uint64_t step, const char* operation, const std::function<bool()>& over,
                     bool grows = false);

/// The board by which member `i` of `t` agrees with the others of this host. `t.size`: this rank's, which is no member.
survivor_board& survivor_board_of(const team_record& t, std::uint32_t i) noexcept;
/// Wakes the members whose memory this rank shares, whatever carries messages to them.
void wake_members_here(const team_record& t);

/// Whether members of `t` are lost that were in the last team that was agreed on.
bool has_news(const team_record& t) noexcept;
/// Revokes the teams that the program has made from `t`: others may wait for this rank in one of them.
void revoke_descendants(const team_record& t);

}  // namespace armilla::detail
