// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <numeric>

#include "armilla/team/collectives/arrays.hpp"
#include "armilla/team/collectives/collective_bulk.hpp"
#include "armilla/team/collectives/groups.hpp"
#include "armilla/team/collectives/packet.hpp"
#include "armilla/team/core/member_transfer.hpp"

/// By which ways arrays go, and what their collectives begin with.
namespace armilla::detail {

inline bool on_board(const team_record& t, std::size_t bytes) {
  return bytes <= most_on_board && (t.host_leaders.size() < few_hosts || bytes <= flag_line::payload_bytes);
}

/// Its elements come apart where the pieces of a transfer do.
inline bool can_be_split(const array_fold& how) { return std::lcm(how.element, std::size_t(8)) <= member_transfer::most_element; }

inline team_record& enter_arrays(team_record* t, const intention& what) {
  ++enter(t, what).count->collectives;
  return *t;
}

}  // namespace armilla::detail
