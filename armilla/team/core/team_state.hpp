// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "armilla/base/core/context.hpp"
#include "armilla/boot/wire_up/gathering.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team/core/collective_area.hpp"
#include "armilla/team/core/fence_hooks.hpp"
#include "armilla/team/core/record.hpp"
#include "armilla/team/core/remote_messages.hpp"

namespace armilla::detail {

/// What a rank knows of the staging between it and one peer.
struct pair_state {
  std::uint64_t sent = 0;  ///< chunks ever sent
  std::uint64_t messages_sent = 0;
  std::uint64_t acknowledged = 0;  ///< of them the peer has taken these, as far as known
  std::uint64_t taken = 0;         ///< chunks ever taken
  std::uint64_t messages_taken = 0;
  std::uint64_t used[2] = {0, 0};  ///< `sent` when each half of the staging was used last
  pair_line* mine = nullptr;       ///< two lines that I write
  const pair_line* theirs = nullptr;
};

/// The same of short all-to-alls, with any rank.
struct exchange_state {
  std::uint64_t count = 0;
  flag_line* mine = nullptr;  ///< two sets of exchange lines
  const flag_line* theirs = nullptr;
};

class living_ranks;
class loss_listener;
struct out_stream;
struct remote_out_stream;
struct in_stream;

/// What moves through the area of one slot. Goes on when the slot passes on to another team.
struct team_area {
  team_area(team_state& s, std::uint32_t slot);
  ~team_area();
  team_area(const team_area&) = delete;

  /// Whether all that this rank has sent was read.
  bool at_rest() const noexcept;
  pair_state& with(rank_t r) noexcept { return pair[std::size_t(locals.of(r))]; }  ///< `r` is near

  const local_ranks& locals;
  std::vector<pair_state> pair;          ///< by local rank
  std::vector<exchange_state> exchange;  ///< by rank
  std::size_t staging;                   ///< where it begins in a staging area
  std::uint64_t transfers = 0;           ///< their parity chooses the half of the staging
  std::vector<rank_t> used_by[2];        ///< with which ranks each half was used last, until all have read it
  std::vector<out_stream> outgoing;      ///< of the transfer that runs; kept for their memory
  std::vector<remote_out_stream> remote_outgoing;
  std::vector<in_stream> incoming;
  remote_pairs far;
};

/// What a new rank is told of a team.
struct invitation {
  struct fixed {
    std::uint64_t team = 0;
    std::uint64_t old_team = 0;  ///< the one before it
    std::uint64_t first_step = 0;
    std::uint64_t ready_step = 0;  ///< that members of the team before it show when they are ready
    std::uint32_t old_slot = 0;    ///< where they do, on one host
    std::uint32_t slot = 0;
    std::uint32_t members = 0;  ///< of the team before it, in front of the new ranks
    std::uint32_t settle = 0;   ///< its slot is to be settled
  } head;
  std::vector<std::uint64_t> ranks;  ///< all members, each as new_rank::word
  std::vector<std::uint64_t> ancestors;
};

/// Layer team of one rank.
struct team_state {
  explicit team_state(context& c);
  ~team_state();
  team_state(const team_state&) = delete;

  context& self;
  collective_layout layout;
  std::vector<rank_t> near;  ///< all other ranks on this host
  team_record* world = nullptr;
  std::vector<team_record*> teams;  ///< alive here, and those let go that some member still holds
  std::uint64_t highest_step = 0;   ///< of any slot whose team has ended here
  fence_hooks hooks;
  std::vector<fence_participant*> participants;                    ///< by team and number: the same order on all that share one
  std::vector<std::unique_ptr<fence_participant>> retired;         ///< of them, until the next fence is over
  loss_listener* loss_listeners = nullptr;                         ///< the first of a list
  bool fencing = false;                                            ///< a fiber of this rank is inside a fence
  std::uint64_t turns = 0;                                         ///< that fibers have had so far to use a twin
  std::unique_ptr<team_area> areas[collective_layout::all_slots];  ///< of those slots that have moved something
  std::uint32_t unsettled = 0;     ///< slots in which a team had lost a member: what moved there may have stopped in the middle
  std::uint64_t end_stage = 0;     ///< of the last fences, which this rank is in
  team_record* ending = nullptr;   ///< all ranks, for the end of run_main, and to agree which are left
  living_ranks* living = nullptr;  ///< from `start_teams` to `stop_teams`
  gatherings* left = nullptr;      ///< agrees which ranks are left where they are on several hosts; else null
  std::vector<invitation> invitations;                          ///< of a new rank, that have come and are not answered
  std::vector<std::uint64_t> invited;                           ///< the teams of all that ever came
  std::map<std::uint64_t, std::vector<std::uint64_t>> left_of;  ///< by id of a team of survivors: of which teams these are left

  team_slot& slot(rank_t world_rank, std::uint32_t i) const noexcept {
    return *reinterpret_cast<team_slot*>(shown(world_rank, collective_layout::slot(i)));
  }
  /// A slot's boards, by which the ranks of a host agree: in the memory that they share, also where a network carries what else
  /// they show each other.
  team_slot& boards(rank_t world_rank, std::uint32_t i) const noexcept {
    const host_map& host = *self.host;
    return *reinterpret_cast<team_slot*>(host.base + host.layout.collectives() +
                                         layout.place(world_rank, collective_layout::slot(i)));
  }
  /// Byte `offset` of a rank's collective area.
  std::byte* shown(rank_t world_rank, std::size_t offset) const noexcept {
    return self.host->collectives + layout.place(world_rank, offset);
  }
  team_area& area(std::uint32_t slot) {
    if (areas[slot] == nullptr) [[unlikely]]
      areas[slot] = std::make_unique<team_area>(*this, slot);
    return *areas[slot];
  }
};

/// What this rank's slots allow of a new team.
survivor_board::request slots_here(team_state& s);
/// All of `members` make it alike, and enter it when all have. `lives`: of them, where lost ranks are replaced.
team_record* make_record(team_state& s, std::vector<rank_t> members, std::vector<std::uint32_t> lives, std::uint32_t slot,
                         std::uint64_t first_step);
/// Of a team that is made from `parent`.
std::vector<std::uint64_t> ancestors_behind(const team_record& parent);
/// Whether this rank has refused the arguments of a collective, and has not come back to that since: see note_refusal.
bool may_call_again(team_state& s) noexcept;
/// It goes elsewhere, to a collective of `next`: the members that wait for it in another team hear that it has left.
void tell_refusals(team_state& s, const team_record* next);
/// Ends all waits in collectives of `t`: its member `lost` is lost.
void revoke(team_record& t, rank_t lost);
/// Whether rank `r` is in one of the last fences (last_fence.cpp) to which this rank has not come yet: it comes to no collective
/// before that.
bool has_ended(const team_state& s, rank_t r) noexcept;

}  // namespace armilla::detail
