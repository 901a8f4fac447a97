// SPDX-License-Identifier: Apache-2.0
#include "armilla/barrier.hpp"

#include "armilla/stats/trace.hpp"
#include "armilla/team/core/pattern.hpp"
#include "armilla/team/core/team_state.hpp"
#include "armilla/team/membership/living.hpp"

namespace armilla::detail {

void run_barrier(team_record* team) {
  context_head& c = enter(team, {collective::barrier});
  team_record& t = *team;
  const traced whole(c.out->events(), trace_kind::collective, "barrier");
  ++c.count->barriers;
  if (!t.flat_barrier) [[unlikely]]
    return meet(t, t.barrier_pattern, {}, "barrier");
  const std::uint64_t step = post(t, nullptr, 0, "barrier");
  for (std::uint32_t i = 0; i < t.size; ++i)
    if (i != t.rank) await_post(t, i, step, "barrier");
  t.known = step;
}

void run_world_barrier() {
  team_state& s = *here("barrier").teams;
  if (s.living->go_on()) [[unlikely]]
    return s.living->meet(run_barrier, "barrier");
  run_barrier(s.world);
}

}  // namespace armilla::detail
