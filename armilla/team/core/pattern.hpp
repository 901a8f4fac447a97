// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "armilla/base/values/collective_pattern.hpp"
#include "armilla/team/core/record.hpp"

/// The ways in which members can meet without all looking at all, for large teams. In each, no member leaves
/// before all have come, and a value of up to one line can be folded on the way.
///
///     tree           a binary tree: 0's children are 1 and 2, 1's are 3 and 4; up, then down. For sums only.
///     hypercube      recursive doubling: log2 N exchanges; the ranks beyond a power of two fold in before and after
///     dissemination  log2 N rounds, in round k towards rank + 2^k. Sums only where N is a power of two.
///
/// The fourth, flat, is in record.hpp: one round, N looks.
///
/// Paper: STAPL, section 6.5 (flat tree, binary tree, binary tree of a hypercube).
namespace armilla::detail {

/// `result` = `low` op `high`, which come from ranks in this order; `result` may be either.
using combine_function = void (*)(void* op, void* result, const void* low, const void* high);

/// A value to fold: nothing for a barrier.
struct fold_value {
  void* value = nullptr;
  std::size_t bytes = 0;
  combine_function combine = nullptr;
  void* op = nullptr;
};

/// Meets all members, and leaves the fold over all of them in `v`. `how` is tree, hypercube or dissemination.
void meet(team_record& t, pattern how, const fold_value& v, const char* what);

/// What member `i` shows all others when it begins a meeting on which they would not come by themselves.
flag_line& call_line(const team_record& t, std::uint32_t i) noexcept;
/// The step of the next meeting.
inline std::uint64_t next_meeting(const team_record& t) noexcept { return t.first_step + t.pattern_step + 1; }

/// What a team does, given the option.
pattern choose_barrier(pattern asked, const team_record& t, bool oversubscribed);
pattern choose_fence(pattern asked, const team_record& t, bool oversubscribed);
/// From the next fence on.
void set_fence_pattern(team_record& t, pattern how);

}  // namespace armilla::detail
