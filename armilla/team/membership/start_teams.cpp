// SPDX-License-Identifier: Apache-2.0
#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/boot/host/launch.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team.hpp"
#include "armilla/team/core/loss_listener.hpp"
#include "armilla/team/core/remote_messages.hpp"
#include "armilla/team/core/team_state.hpp"
#include "armilla/team/membership/growth.hpp"
#include "armilla/team/membership/living.hpp"
#include "armilla/team/membership/survivors.hpp"

// Model: tests/models/protocols/end.pml
namespace armilla::detail {
namespace {

void lose_member(context& self, rank_t lost) {
  if (self.teams == nullptr) return;
  for (team_record* t : self.teams->teams)
    if (t->lost == no_rank && t->number_of(lost) >= 0) revoke(*t, lost);
  loss_listener::tell_all(*self.teams, lost);
}

}  // namespace

void start_teams(context& self, const launch& start) {
  team_state& s = *(self.teams = new team_state(self));
  s.left = start.left;
  s.living = new living_ranks(s);
  s.living->start(s.world, self.host->job().goes_on != 0);
  if (self.host->new_rank) begin_as_new_rank(s);
  self.messages->lost.tell(lose_member);
  self.messages->lost.tell_of_return(forget_pairs);
  self.messages->lost.tell_at_the_end(follow_survivors);
}

void stop_teams(context& self) {
  self.teams->living->stop();
  delete self.teams->living;
  delete self.teams;
  self.teams = nullptr;
}

}  // namespace armilla::detail
