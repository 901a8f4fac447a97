// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <utility>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team/core/record.hpp"

namespace armilla::detail {

/// How long a rank that is about to sleep waits before it tells all other hosts what it has entered, and asks those that it waits
/// for: messages that on a slow network would cost more than the collective. They find mistakes, for which there is time. It asks
/// again and again, ever more seldom: one that has entered something else, and has ended it, says nothing by itself. Of all this
/// nobody has got anything that it waits for: to those that look for stalls it is one wait.
inline constexpr std::uint64_t tell_after_ns = 20'000'000, ask_within_ns = 1'000'000'000;

/// A wait of a collective, answering other ranks, until `ready()`. Before it sleeps it compares with what the ranks that it waits
/// for have entered: `others(f)` calls f(rank) for each. Throws rank_lost, and usage_error if one has entered another collective
/// or has left one by an exception.
template <class Ready, class Others>
void wait_in_collective(const team_record& t, Ready&& ready, Others&& others, const char* what, wait_object on = {}) {
  const inside_team alone(t, what);
  endpoint& messages = *t.self->messages;
  rank_t otherwise = no_rank;
  const bool tells = !t.host_leaders.empty();
  std::uint64_t tell_at = 0, pause = tell_after_ns;  // 0: this rank has not been about to sleep
  const std::uint64_t& got = messages.out.count().bundles_received;
  std::uint64_t since = 0, before = 0;  // since when nothing has come; what `got` was then
  for (;;) {
    bool sleeps = false;
    const auto over = [&] {
      if (ready() || t.lost != no_rank || otherwise != no_rank || sleeps || (since != 0 && got != before)) return true;
      if (!messages.sleeper.wait_prepared()) [[likely]]
        return false;
      others([&](rank_t r) {
        if (otherwise == no_rank && does_otherwise(t, r)) otherwise = r;
      });
      return otherwise != no_rank || (sleeps = tells && tell_at == 0);
    };
    {
      const event_count::nap mine(messages.sleeper, since);
      messages.waits.wait_until_deadline(over, tell_at, what, on);
    }
    if (ready()) return;
    if (t.lost != no_rank) messages.lost.raise(t.lost, what);
    if (otherwise != no_rank) throw_does_otherwise(t, otherwise, 0);
    const std::uint64_t now = now_ns();
    if (!sleeps && now >= tell_at) {
      if (pause == tell_after_ns) tell_entered(t);
      others([&](rank_t r) {
        if (t.self->host->far[std::size_t(r)]) ask_entered(t, r);
      });
      pause = std::min(2 * pause, ask_within_ns);
      tell_at = 0;
    }
    if (tell_at == 0) tell_at = now + pause;
    if (std::exchange(before, got) != got || since == 0) since = now;
  }
}

}  // namespace armilla::detail
