// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "armilla/error.hpp"
#include "armilla/team.hpp"
#include "armilla/team/core/team_state.hpp"
#include "armilla/team/membership/survivors.hpp"

/// A split is one look of all members of the parent at each other's request: color, key, the slots that are free there, and
/// the highest step any slot of that member has come to. All compute the same from it: the lowest slot that is free on all
/// members, and a first step beyond all that these members have ever used, so that none takes an old flag for a new one.
/// Teams of one split are disjoint and get the same slot.
namespace armilla::detail {
namespace {

struct request {
  survivor_board::request slots;
  std::int32_t color;
  std::int32_t key;
};
static_assert(sizeof(request) <= flag_line::payload_bytes);

std::vector<request> exchange_requests(team_record& t, int color, int key) {
  team_state& s = *t.owner;
  const request mine{slots_here(s), color, key};
  const std::uint64_t step = post(t, &mine, sizeof mine, "team::split");
  std::vector<request> all(t.size);
  for (std::uint32_t i = 0; i < t.size; ++i) std::memcpy(&all[i], await_post(t, i, step, "team::split"), sizeof(request));
  t.known = step;
  return all;
}

std::uint32_t free_everywhere(const std::vector<request>& all) {
  std::uint32_t free = ~0u;
  for (const request& r : all) free &= r.slots.free_slots;
  return free;
}

// The lives of some of its members.
std::vector<std::uint32_t> lives_in(const team_record& t, const std::vector<rank_t>& members) {
  std::vector<std::uint32_t> lives;
  for (std::size_t i = 0; i < members.size() && !t.lives.empty(); ++i)
    lives.push_back(t.lives[std::size_t(t.number_of(members[i]))]);
  return lives;
}

[[noreturn]] void throw_no_slot(const team_record& parent, const std::vector<request>& all) {
  std::uint32_t worst = 0;
  for (std::uint32_t i = 0; i < parent.size; ++i)
    if (std::popcount(all[i].slots.free_slots) < std::popcount(all[worst].slots.free_slots)) worst = i;
  throw_limit("team::split",
              fmt::format("no place for another team: rank {} holds {} teams beside world, and {} is the most that "
                          "ranks can have in common; let some team values go, and call am::fence() on all ranks if containers of "
                          "such teams have ended: a team stays until then",
                          parent.members[worst], collective_layout::slots - 1 - std::popcount(all[worst].slots.free_slots),
                          collective_layout::slots - 1));
}

// Members of my color in the order of their keys; a stable sort keeps the parent's order among equals.
std::vector<rank_t> members_of(const team_record& parent, const std::vector<request>& all) {
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < parent.size; ++i)
    if (all[i].color == all[parent.rank].color) chosen.push_back(i);
  std::ranges::stable_sort(chosen, {}, [&](std::uint32_t i) { return all[i].key; });
  std::vector<rank_t> members;
  for (const std::uint32_t i : chosen) members.push_back(parent.members[i]);
  return members;
}

team_record* split(team_record* parent, int color, int key) {
  require_entry(parent, collective::split);
  refuse_parts_of_bodies(*parent->self, name_of(collective::split));
  enter(parent, {collective::split});
  context& c = *parent->self;
  ++c.count->collectives;
  std::vector<request> all = exchange_requests(*parent, color, key);
  // When all have come here, all have said which teams they let go before: a second look knows everything.
  if (free_everywhere(all) == 0) all = exchange_requests(*parent, color, key);
  const std::uint32_t free = free_everywhere(all);
  if (free == 0) throw_no_slot(*parent, all);
  std::uint64_t highest = 0;
  for (const request& r : all) highest = std::max(highest, r.slots.highest_step);
  const auto slot = std::uint32_t(std::countr_zero(free));
  if (std::ranges::any_of(all, [&](const request& r) { return (r.slots.unsettled >> slot & 1) != 0; })) {
    exchange_requests(*parent, color, key);  // behind what members on other hosts have still said of the slot
    settle_slot(*parent->owner, slot);
    exchange_requests(*parent, color, key);  // until all have
  }
  if (color < 0) return nullptr;
  std::vector<rank_t> members = members_of(*parent, all);
  std::vector<std::uint32_t> lives = lives_in(*parent, members);
  team_record* const made =
      make_record(*parent->owner, std::move(members), std::move(lives), slot, highest + team_slot::flat_lines);
  made->ancestors = ancestors_behind(*parent);
  if (parent->lost != no_rank) follow_survivors(c);  // of members that gave up the parent before this team was here to be revoked
  return made;
}

}  // namespace
}  // namespace armilla::detail

namespace armilla {

team team::split(int color, int key, const made_at& at) const {
  return team(detail::called_as(detail::split(record_, color, key), at));
}

}  // namespace armilla
