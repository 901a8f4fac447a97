// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/am/endpoint.hpp"
#include "armilla/team/record.hpp"

namespace armilla::detail {

/// A wait of a collective, answering other ranks, until `ready()`. Before it sleeps it compares with what the ranks that it waits
/// for have entered: `others(f)` calls f(rank) for each. Throws rank_lost, and usage_error if one has entered another collective.
template <class Ready, class Others>
void wait_in_collective(const team_record& t, Ready&& ready, Others&& others, const char* what, wait_object on = {}) {
  const inside_team alone(t, what);
  endpoint& messages = *t.self->messages;
  rank_t otherwise = no_rank;
  bool told = t.host_leaders.empty();  // those on other hosts hear what this rank has entered before it first sleeps
  for (bool tell = false;; tell = false) {
    messages.waits.wait_until(
        [&] {
          if (ready() || t.lost != no_rank || otherwise != no_rank || tell) return true;
          if (!messages.sleeper.wait_prepared()) [[likely]]
            return false;
          others([&](rank_t r) {
            if (otherwise == no_rank && does_otherwise(t, r)) otherwise = r;
          });
          return otherwise != no_rank || (tell = !told);
        },
        what, on);
    if (ready()) return;
    if (t.lost != no_rank) messages.lost.raise(t.lost, what);
    if (otherwise != no_rank) throw_does_otherwise(t, otherwise, 0);
    if (tell) tell_entered(t);
    told = true;
  }
}

}  // namespace armilla::detail
