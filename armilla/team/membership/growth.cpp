// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/membership/growth.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/message_writer.hpp"
#include "armilla/boot/host/membership.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team/core/team_state.hpp"
#include "armilla/team/membership/agreement.hpp"
#include "armilla/team/membership/gathered_agreement.hpp"
#include "armilla/team/membership/survivors.hpp"

/// How a new rank comes into a team.
///
/// It shows on its board that it wants to be taken in, with what its slots allow. Members that agree on a team (agreement.cpp)
/// may name it in their proposal, with its life, so that one that comes after it in the same place is not taken for it. Behind
/// the decision each member tells it of the team, and it says that it is ready, or another team has been quicker, and it shows
/// that it asks no more. It takes the team for made if all chosen show that they are ready, by the rule of the members. So either
/// all have the team, or none.
///
/// What it asked with and that it was ready stay on the board when it is lost, for each of several lives: a member that looks
/// late must find what the others found.
///
/// Over several hosts it tells armilla-run what its slots allow. Members that agree there hear of it with their answer, invite
/// it, and give their next parts together with it: all get the same answer to these (gathered_agreement.hpp).
// Model: tests/models/protocols/survivors.pml
// Model: tests/models/protocols/growth.pml
namespace armilla::detail {
namespace {

constexpr const char* operation = "await_team";

static_assert(new_rank_board::lives == lives_on_boards && survivor_board::lives == lives_on_boards);

std::uint64_t highest_step_in(const team_state& s, std::uint32_t i) {
  const team_slot& slot = s.slot(s.self.rank, i);
  std::uint64_t highest = std::max(slot.entered.number.load(std::memory_order_acquire),
                                   s.boards(s.self.rank, i).survivors.step.load(std::memory_order_acquire));
  const auto look = [&highest](const auto& lines) {
    for (const flag_line& line : lines) highest = std::max(highest, step_of(line.step.load(std::memory_order_acquire)));
  };
  look(slot.flat);
  look(slot.check);
  for (const auto& half : slot.pattern) look(half);
  return highest;
}

bool is_gone(const team_state& s, const new_rank& n) noexcept {
  return s.self.out->is_lost(n.rank) || s.self.out->life(n.rank) != n.life;
}

constexpr std::uint64_t asks_no_more = ~std::uint64_t{0};  // no life: it has come into a team

bool asks(const new_rank_board& board, std::uint32_t life) noexcept { return board.asks.load(std::memory_order_acquire) == life; }

bool is_ready(const team_state& s, const new_rank& n, std::uint64_t team) noexcept {
  return board_of_new_rank(s, n.rank).of(n.life).ready.load(std::memory_order_acquire) == team;
}

}  // namespace

// Lines and boards stay: those that are left may agree by them. New teams begin behind all that the lost rank had shown, with
// staging as at the start of a job.
void begin_as_new_rank(team_state& s) {
  revoke(*s.world, s.self.rank);
  revoke(*s.ending, s.self.rank);
  for (std::uint32_t i = 0; i < collective_layout::all_slots; ++i)
    if (i != collective_layout::ending_slot) s.highest_step = std::max(s.highest_step, highest_step_in(s, i));
  s.unsettled = (1u << collective_layout::slots) - 1;
  end_board& end = s.boards(s.self.rank, 0).end;  // the lost rank may have come to its last fences; what it had passed stays
  end.word.store(0, std::memory_order_release);
  for (end_board::counts& counts : end.of) counts.ranks_hash.store(0, std::memory_order_release);
  board_of_new_rank(s, s.self.rank).asks.store(0, std::memory_order_release);
}

void require_member(const team_state& s, const char* what) {
  if (s.self.host->new_rank)
    throw_usage(
        what,
        "this rank came into the running job, and is not in the team of the ranks of the start; a team that takes it in by "
        "grow() comes from armilla::await_team()");
}

new_rank_board& board_of_new_rank(const team_state& s, rank_t r) noexcept { return s.boards(r, 0).new_ranks; }

std::vector<new_rank> new_ranks_that_ask(const team_state& s) {
  std::vector<new_rank> found;
  for (rank_t r = 0; r < s.self.places && found.size() < most_new_ranks; ++r)
    if (const std::uint32_t life = s.self.out->life(r);
        life != 0 && !s.self.out->is_lost(r) && asks(board_of_new_rank(s, r), life))
      found.push_back({r, life});
  return found;
}

bool new_ranks_have_answered(const team_state& s, const std::vector<new_rank>& all, std::uint64_t team) noexcept {
  return std::ranges::all_of(all, [&](const new_rank& n) {
    return is_ready(s, n, team) || is_gone(s, n) || !asks(board_of_new_rank(s, n.rank), n.life);
  });
}

bool new_ranks_are_ready(const team_state& s, const std::vector<new_rank>& all, std::uint64_t team) noexcept {
  return std::ranges::all_of(all, [&](const new_rank& n) { return is_ready(s, n, team); });
}

// ---- an invitation on its way ----

namespace {

struct invitation_message {
  static void run(delivery& in, rank_t source, const std::byte* at, std::size_t size) {
    invitation one;
    const std::size_t words = size < sizeof one.head ? 0 : (size - sizeof one.head) / sizeof(std::uint64_t);
    if (words == 0) throw_damaged(source, "an invitation into a team, its length", size);
    std::memcpy(&one.head, at, sizeof one.head);
    std::vector<std::uint64_t> all(words);
    std::memcpy(all.data(), at + sizeof one.head, words * sizeof(std::uint64_t));
    const std::uint64_t ranks = all[0];
    if (ranks >= words || one.head.members > ranks || one.head.slot >= collective_layout::slots ||
        one.head.old_slot >= collective_layout::slots)
      throw_damaged(source, "an invitation into a team, its members", ranks);
    one.ranks.assign(all.begin() + 1, all.begin() + 1 + std::ptrdiff_t(ranks));
    for (const std::uint64_t word : one.ranks)
      if (std::uint32_t(word) >= std::uint32_t(in.self.places)) throw_damaged(source, "a member of a team", word);
    one.ancestors.assign(all.begin() + 1 + std::ptrdiff_t(ranks), all.end());
    take(*in.self.teams, std::move(one));
  }

 private:
  static void take(team_state& s, invitation one) {
    if (std::ranges::find(s.invited, one.head.team) != s.invited.end()) return;  // by another member
    s.invited.push_back(one.head.team);
    s.invitations.push_back(std::move(one));
  }
};
handler_slot& invitation_slot = fixed_handler<invitation_message, well_known(handler_range::team, 3)>;

}  // namespace

void invite(outbox& out, const new_rank& to, const invitation& what) {
  peer_channel& c = out.prepared_to(to.rank);
  if (c.lost) return;
  std::vector<std::uint64_t> words{what.ranks.size()};
  words.insert(words.end(), what.ranks.begin(), what.ranks.end());
  words.insert(words.end(), what.ancestors.begin(), what.ancestors.end());
  const std::size_t bytes = words.size() * sizeof(std::uint64_t);
  const auto message = message_writer::in_frame(out, c, invitation_slot.id, sizeof what.head + bytes);
  std::memcpy(message.at, &what.head, sizeof what.head);
  std::memcpy(message.at + sizeof what.head, words.data(), bytes);
  out.flush(to.rank);
}

// ---- the new rank ----

namespace {

team_record& make_invited(team_state& s, const invitation& i) {
  std::vector<rank_t> members;
  std::vector<std::uint32_t> lives;
  for (const std::uint64_t word : i.ranks) {
    members.push_back(new_rank::from(word).rank);
    lives.push_back(new_rank::from(word).life);
  }
  if (i.head.settle != 0) settle_slot(s, i.head.slot);
  return *make_record(s, std::move(members), std::move(lives), i.head.slot, i.head.first_step);
}

bool member_is_ready(const team_state& s, const team_record& made, const invitation& i, std::uint32_t member) noexcept {
  if (member >= i.head.members) return is_ready(s, new_rank::from(i.ranks[member]), made.id);
  return s.boards(made.members[member], i.head.old_slot).survivors.step.load(std::memory_order_acquire) >= i.head.ready_step;
}

bool member_will_not_be(const team_state& s, const team_record& made, const invitation& i, std::uint32_t member) noexcept {
  if (is_lost_to(made, member)) return true;
  const new_rank n = new_rank::from(i.ranks[member]);
  return member >= i.head.members && !asks(board_of_new_rank(s, n.rank), n.life);
}

// As all_ready of the members.
bool all_are_ready(const team_state& s, const team_record& made, const invitation& i) {
  const auto every = [&](auto&& holds) {
    for (std::uint32_t m = 0; m < made.size; ++m)
      if (!holds(m)) return false;
    return true;
  };
  const auto ready = [&](std::uint32_t m) { return member_is_ready(s, made, i, m); };
  s.self.messages->waits.wait_until(
      [&] { return every([&](std::uint32_t m) { return ready(m) || member_will_not_be(s, made, i, m); }); }, operation);
  return every(ready);
}

bool agree_that_all_are_ready(team_state& s, team_record& made, const invitation& i) {
  if (s.left != nullptr)
    return gather_ready(made, {gathering_row::kind::survivors, i.head.old_team}, i.head.ready_step, operation);
  board_of_new_rank(s, s.self.rank).of(s.self.out->life(s.self.rank)).ready.store(made.id, std::memory_order_release);
  wake_members_here(made);
  return all_are_ready(s, made, i);
}

team_record* accept(team_state& s, const invitation& i) {
  s.self.messages->lost.hear();  // of the other new ranks that they live, before they are taken for lost
  team_record& made = make_invited(s, i);
  if (!agree_that_all_are_ready(s, made, i)) {
    hold(&made);
    let_go(&made);
    return nullptr;
  }
  made.ancestors = i.ancestors;
  s.self.messages->lost.hear();
  s.self.messages->lost.accept(made.lost);
  return &made;
}

// Not for one that had this place before: its name may have been on a member's board still.
bool is_for_this_rank(const team_state& s, const invitation& i) {
  const new_rank me{s.self.rank, s.self.out->life(s.self.rank)};
  return std::find(i.ranks.begin() + i.head.members, i.ranks.end(), me.word()) != i.ranks.end();
}

bool none_is_left_to_invite(const team_state& s) {
  for (rank_t r = 0; r < s.self.places; ++r)
    if (r != s.self.rank && !s.self.out->is_lost(r) && !has_ended(s, r)) {
      const std::uint32_t life = s.self.out->life(r);
      if (life == 0 || !asks(board_of_new_rank(s, r), life)) return false;
    }
  return true;
}

bool none_will_invite(const team_state& s) {
  if (s.left == nullptr) return none_is_left_to_invite(s);
  s.left->look();
  return s.left->no_team().has_value();
}

bool any_has_ended(const team_state& s) {
  if (s.left != nullptr) return s.left->no_team()->some_ended;
  for (rank_t r = 0; r < s.self.places; ++r)
    if (r != s.self.rank && has_ended(s, r)) return true;
  return false;
}

// Where none has ended its function well, the work is lost, and this rank must not end as if it were done.
void require_ended(const team_state& s) {
  if (any_has_ended(s)) return;
  rank_t lost = no_rank;
  for (rank_t r = s.self.places; r-- > 0;)
    if (r != s.self.rank && s.self.out->is_lost(r)) lost = r;
  if (lost != no_rank) s.self.messages->lost.raise(lost, operation);
}

context& require_new_rank() {
  context& c = here(operation);
  refuse_parts_of_bodies(c, operation);
  if (!c.host->new_rank)
    throw_usage(operation,
                "this rank is one of the start, and has its teams; await_team is for ranks that come into the running job "
                "(armilla-run --join, ARMILLA_ON_LOSS=replace): armilla::joined() is true there");
  if (board_of_new_rank(*c.teams, c.rank).asks.load(std::memory_order_relaxed) == asks_no_more)
    throw_usage(operation,
                "this rank has come into a team already; t.survivors() and t.grow() of that one go on with those that are left");
  if (!may_enter(c)) throw_usage(operation, "called from a body on the stack of the loop; call it from the rank's own code");
  return c;
}

}  // namespace

team_record* run_await_team() {
  context& c = require_new_rank();
  team_state& s = *c.teams;
  new_rank_board& mine = board_of_new_rank(s, c.rank);
  c.out->flush();
  mine.of(c.out->life(c.rank)).wanted = slots_here(s);
  mine.asks.store(c.out->life(c.rank), std::memory_order_release);
  if (s.left != nullptr) seek_team(s);
  team_record* made = nullptr;
  while (made == nullptr) {
    c.messages->waits.wait_until([&] { return !s.invitations.empty() || none_will_invite(s); }, operation);
    if (s.invitations.empty()) {
      require_ended(s);
      break;
    }
    const invitation one = std::move(s.invitations.front());
    s.invitations.erase(s.invitations.begin());
    if (is_for_this_rank(s, one)) made = accept(s, one);
  }
  mine.asks.store(made != nullptr ? asks_no_more : 0, std::memory_order_release);
  c.host->locals().each([&](rank_t r) { c.out->notify(r); });
  return made;
}

}  // namespace armilla::detail

namespace armilla {

team await_team() { return team(detail::run_await_team()); }

}  // namespace armilla
