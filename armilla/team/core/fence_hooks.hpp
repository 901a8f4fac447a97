// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/error.hpp"

namespace armilla::detail {

struct context;
struct error_record;
struct team_record;

/// Errors that a higher layer keeps until the members of a team meet. `team`: the id of a team; null: of every team.
struct kept_errors {
  std::uint64_t (*count)(context& self, const std::uint64_t* team) = nullptr;
  /// Gives out the first, and forgets them all. False: there are none.
  bool (*take)(context& self, const std::uint64_t* team, exception_text& what) = nullptr;
};

/// What the layers above add to a fence; null where they have nothing to say.
struct fence_hooks {
  /// Errors of one-way calls that ran here and are not reported yet.
  std::uint64_t (*errors)(context&) = nullptr;
  /// Hands out the first of them and forgets them all. False: there are none.
  bool (*take_error)(context&, error_record&) = nullptr;
  /// The same of errors that a higher layer keeps until the members of a team meet.
  std::vector<kept_errors> kept;
  /// Whether the one-sided operations that this rank began are complete at their targets, or are messages that a fence of
  /// `part` counts; null: of all ranks.
  bool (*accesses_done)(context&, const team_record* part) = nullptr;
  /// Before a round of a fence of a part of the ranks: asks the others about what no reply will tell. It may send.
  void (*ask_others)(context&, const team_record& part) = nullptr;
  /// A fence of `t` begins; it is over.
  void (*begin)(context&) = nullptr;
  void (*end)(context&, const team_record& t) = nullptr;

  /// The first error of either kind.
  bool take_any_error(context& self, const team_record* part, error_record& first) const;
};

/// Makes fences of this rank throw these errors, too: a team's fence those of the team, a fence of all ranks all. Nothing if
/// they do so already.
void add_kept_errors(context& self, const kept_errors& how);

}  // namespace armilla::detail
