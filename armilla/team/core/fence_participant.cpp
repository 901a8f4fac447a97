// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/core/fence_participant.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "armilla/error.hpp"
#include "armilla/team/core/team_state.hpp"

namespace armilla::detail {
namespace {

// A fence of some ranks tells nothing of the others. The lost send nothing any more.
bool holds_all_of(const team_record& t, const fence_participant& g) {
  if (t.size == std::uint32_t(t.self->places) || t.id == t.owner->world->id || g.members().id() == t.id) return true;
  if (!g.revoked()) return false;
  for (rank_t i = 0; i < g.members().size(); ++i)
    if (const rank_t r = g.members().world_rank(i); t.number_of(r) < 0 && !has_lost(g.members(), i)) return false;
  return true;
}

}  // namespace

// By index: a participant that sends may let bodies and fibers run, and one of these a participant go.
void settle_participants(const team_state& s) {
  for (std::size_t i = 0; i < s.participants.size(); ++i)
    if (!s.participants[i]->revoked()) s.participants[i]->settle();
}

bool any_held_back(const team_state& s) {
  return std::ranges::any_of(s.participants, [](const fence_participant* g) { return !g->revoked() && g->holds_back(); });
}

// All members have the same bits, and call their participants in the same order. Where one has failed the others still agree:
// members of their teams that are not in that one's wait for this rank.
std::exception_ptr let_participants_agree(const team_record& t, std::uint64_t changed) {
  std::exception_ptr first;
  const std::vector<fence_participant*> participants = t.owner->participants;
  for (fence_participant* const g : participants) {
    if ((g->bit() & changed) == 0 || !holds_all_of(t, *g) || (g->revoked() && g->members().id() != t.id)) continue;
    try {
      g->agree();
    } catch (const rank_lost&) { throw; } catch (const passing&) {
      throw;
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  return first;
}

// Out of the list first: the end of one may retire another.
void let_retired_go(const team_record& t) {
  auto& retired = t.owner->retired;
  const auto gone = std::stable_partition(retired.begin(), retired.end(), [&](const auto& g) { return !holds_all_of(t, *g); });
  const std::vector<std::unique_ptr<fence_participant>> ending(std::make_move_iterator(gone),
                                                               std::make_move_iterator(retired.end()));
  retired.erase(gone, retired.end());
}

fence_participant::fence_participant(const team& members) : members_(members) {
  require_members(members_, "make a container");
  team_state& s = *here("make a container").teams;
  const auto record = std::find_if(s.teams.begin(), s.teams.end(), [&](const team_record* t) { return t->id == members_.id(); });
  number_ = (*record)->participants++;
  bit_ = std::uint64_t(1) << ((members_.id() * 0x9e3779b97f4a7c15u + number_) & 63);
  const auto earlier = [](const fence_participant* a, const fence_participant* b) {
    return std::pair(a->members_.id(), a->number_) < std::pair(b->members_.id(), b->number_);
  };
  s.participants.insert(std::upper_bound(s.participants.begin(), s.participants.end(), this, earlier), this);
}

fence_participant::~fence_participant() {
  if (current != nullptr && current->teams != nullptr) std::erase(current->teams->participants, this);
}

void retire(std::unique_ptr<fence_participant> participant) noexcept {
  if (current != nullptr && current->teams != nullptr) current->teams->retired.push_back(std::move(participant));
}

bool has_team(std::uint64_t id) noexcept {
  const auto is_it = [id](const team_record* t) { return t->id == id; };
  return current != nullptr && current->teams != nullptr && std::ranges::any_of(current->teams->teams, is_it);
}

}  // namespace armilla::detail
