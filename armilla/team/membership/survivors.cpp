// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/membership/survivors.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <ranges>
#include <utility>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team/core/team_state.hpp"
#include "armilla/team/membership/agreement.hpp"
#include "armilla/team/membership/gathered_agreement.hpp"
#include "armilla/team/membership/growth.hpp"
#include "armilla/team/membership/living.hpp"

// Model: tests/models/protocols/survivors.pml
namespace armilla::detail {
namespace {

void require_one_host(const team_record& t, const char* operation) {
  if (t.owner->left != nullptr) return;
  for (const rank_t r : t.members)
    if (!t.self->host->locals().holds(r))
      throw_usage(operation,
                  "the team has members that do not share this rank's memory; what is left of a team is found on one "
                  "host, or by armilla-run --hosts with ARMILLA_ON_LOSS=continue");
}

}  // namespace

void settle_slot(team_state& s, std::uint32_t slot) {
  const collective_layout& layout = s.layout;
  for (const std::uint32_t one : {slot, slot + collective_layout::to_twin}) {
    if (s.areas[one] != nullptr) {
      // What a network carries goes on: acknowledgements may be under way, and messages of earlier teams are dropped as they
      // come.
      remote_pairs far = std::move(s.areas[one]->far);
      s.areas[one].reset();
      s.area(one).far = std::move(far);
    }
    std::memset(s.self.host->staging(s.self.rank) + layout.pair(one, {}), 0, layout.pairs_bytes());
    std::memset(s.shown(s.self.rank, layout.exchange(one, 0)), 0, host_layout::team_exchange_bytes);
  }
  s.unsettled &= ~(1u << slot);
}

// A member that is in no collective with this one any more may have been awaited in one of a smaller team.
void follow_survivors(context& self) {
  if (self.teams == nullptr) return;
  team_state& s = *self.teams;
  if (s.left != nullptr) s.left->look();
  for (const team_record* const t : s.teams) {
    const std::uint64_t asked = t == s.ending ? s.living->step() : t->survivor_step;
    // What stands on the board of a lost member may be of its successor's teams.
    const auto gives_up = [&](std::uint32_t i) {
      return !is_lost_to(*t, i) && survivor_board_of(*t, i).step.load(std::memory_order_acquire) > asked;
    };
    if (t->lost == self.rank) continue;                   // a new rank was never in it
    if (t == s.ending && s.living->given_up()) continue;  // ranks that asked before are in no fence any more
    if (t->lost != no_rank && has_news(*t) &&
        (another_asks(*t, asked) || std::ranges::any_of(std::views::iota(0u, t->size), gives_up)))
      revoke_descendants(*t);
  }
  s.living->follow();
}

std::vector<std::uint32_t> lives_in(const team& t) {
  if (current == nullptr || current->teams == nullptr) return {};
  const auto& all = current->teams->teams;
  const auto record = std::ranges::find(all, t.id(), &team_record::id);
  return record == all.end() ? std::vector<std::uint32_t>() : (*record)->lives;
}

bool is_left_of(const team& t, const team& old) {
  if (current == nullptr || current->teams == nullptr) return false;
  const auto& left_of = current->teams->left_of;
  const auto of_t = left_of.find(t.id());
  if (of_t == left_of.end()) return false;
  const std::vector<std::uint32_t> lives_of_t = lives_in(t), lives_of_old = lives_in(old);
  for (rank_t i = 0; i < t.size(); ++i) {
    const rank_t before = old.rank_of(t.world_rank(i));
    if (before < 0) return false;
    if (!lives_of_t.empty() && !lives_of_old.empty() && lives_of_t[std::size_t(i)] != lives_of_old[std::size_t(before)])
      return false;  // a new rank in the place
  }
  const auto is_origin = [&](std::uint64_t id) { return std::ranges::find(of_t->second, id) != of_t->second.end(); };
  const auto of_old = left_of.find(old.id());
  return is_origin(old.id()) || (of_old != left_of.end() && std::ranges::any_of(of_old->second, is_origin));
}

namespace {

team_record* run_agreement(team_record* parent, collective kind, const char* operation) {
  require_entry(parent, kind);
  context& c = *parent->self;
  refuse_parts_of_bodies(c, operation);
  team_record& t = *parent;
  if (t.lost == c.rank) require_member(*c.teams, operation);
  require_one_host(t, operation);
  const inside_team alone(t, operation);
  ++c.count->collectives;
  c.out->flush();
  if (has_news(t)) c.teams->living->give_up();
  if (t.lost != no_rank && has_news(t)) revoke_descendants(t);
  for (;;) {
    const std::uint64_t step = t.survivor_step + 1;
    t.survivor_step += 2;
    if (team_record* const made = agree_on_team(t, step, operation, {}, kind == collective::grow).team; made != nullptr)
      return made;
  }
}

}  // namespace

team_record* run_survivors(team_record* parent, const made_at& at) {
  return called_as(run_agreement(parent, collective::survivors, "team::survivors"), at);
}
team_record* run_grow(team_record* parent, const made_at& at) {
  return called_as(run_agreement(parent, collective::grow, "team::grow"), at);
}

}  // namespace armilla::detail
