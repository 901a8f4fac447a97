// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/membership/agreement.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team/core/team_state.hpp"
#include "armilla/team/membership/gathered_agreement.hpp"
#include "armilla/team/membership/growth.hpp"
#include "armilla/team/membership/living.hpp"
#include "armilla/team/membership/survivors.hpp"

/// How the members that are left agree which these are, and get a team.
///
/// Each says on its board that it asks for the how-manieth time, and waits until every member has that is not lost, as far as it
/// has heard, nor at the end of its function. Then it writes down which it found, on its own board, and tries to make that the
/// decision: one word, on the board of the first member of the old team, which one of them changes from what it was. The word
/// names the proposal that counts. All memory is of one host, and that of the lost stays, so all read the same, whichever has
/// died meanwhile.
///
/// All that were chosen had asked before, so what they asked with can be read: slots and steps of the new team follow from it
/// as in a split. A proposal is written over only when its owner is asked to choose again, which needs all that are left.
///
/// Each then says that it is ready. If one of the chosen dies before, none of the others finds it ready, and all ask once more;
/// if it dies behind that, all have the new team, and are told by that one's next collective.
///
/// A member that asks has given up the collectives of the team, and of teams that were made from it: others may wait for it in
/// one of these, which holds no lost rank. So it lets all hear of losses again, and they revoke these teams, too.
///
/// A slot in which a team had lost a member is unsettled: a transfer may have stopped in the middle. Its next team begins with
/// lines as they are at the start of a job. None is in it before all are ready.
// Model: tests/models/protocols/survivors.pml
// Model: tests/models/protocols/growth.pml
namespace armilla::detail {
namespace {

constexpr unsigned proposer_bits = 10;
static_assert(most_lasting_ranks <= 1u << proposer_bits);

class agreement {
 public:
  agreement(team_record& t, std::uint64_t step, const char* operation, const std::function<bool()>& over, bool grows)
      : t_(t),
        step_(step),
        operation_(operation),
        over_(over),
        grows_(grows),
        decision_(board(0).decided[t.lives.empty() ? 0 : t.lives[0] % survivor_board::lives]) {}

  /// Nothing: it is over.
  std::optional<chosen_ranks> decide(const survivor_board::request& wanted) {
    mine().wanted = wanted;
    post(step_);
    if (has_news(t_)) t_.self->messages->lost.again();
    bool over = false;
    wait([&] { return (over = is_over()) || decided() || all_have_asked(); });
    over = over || is_over();  // what others did before they asked is known by now
    if (!decided()) {
      if (over) return std::nullopt;
      propose();
    }
    const auto proposer = std::uint32_t(decision_.load(std::memory_order_acquire) & ((1u << proposer_bits) - 1));
    chosen_ranks chosen;
    for (std::uint32_t i = 0; i < t_.size; ++i)
      if ((board(proposer).proposal[i / 64].load(std::memory_order_acquire) >> i % 64 & 1) != 0) chosen.members.push_back(i);
    for (const auto& word : board(proposer).new_ranks)
      if (const std::uint64_t one = word.load(std::memory_order_acquire); one != 0)
        chosen.new_ranks.push_back(new_rank::from(one));
    if (!std::ranges::binary_search(chosen.members, t_.rank)) t_.self->messages->lost.raise(t_.self->rank, operation_);
    return chosen;
  }

  /// False: one of them was lost before it was ready, which all see.
  bool all_ready(const chosen_ranks& chosen, std::uint64_t team) const {
    const std::uint64_t ready = step_ + 1;
    post(ready);
    const auto is_ready = [&](std::uint32_t i) { return has_posted(i, ready); };
    wait([&] {
      return std::ranges::all_of(chosen.members, [&](std::uint32_t i) { return is_ready(i) || is_lost(i); }) &&
             new_ranks_have_answered(*t_.owner, chosen.new_ranks, team);
    });
    return std::ranges::all_of(chosen.members, is_ready) && new_ranks_are_ready(*t_.owner, chosen.new_ranks, team);
  }

  /// Of all that were chosen.
  survivor_board::request common(const chosen_ranks& chosen) const {
    survivor_board::request all{0, ~0u, 0};
    const auto add = [&all](const survivor_board::request& one) {
      all.highest_step = std::max(all.highest_step, one.highest_step);
      all.free_slots &= one.free_slots;
      all.unsettled |= one.unsettled;
    };
    for (const std::uint32_t i : chosen.members) add(board(i).wanted);
    for (const new_rank& one : chosen.new_ranks) add(board_of_new_rank(*t_.owner, one.rank).of(one.life).wanted);
    return all;
  }

 private:
  survivor_board& board(std::uint32_t i) const noexcept { return survivor_board_of(t_, i); }
  survivor_board& mine() const noexcept { return board(t_.rank); }
  bool is_lost(std::uint32_t i) const noexcept { return is_lost_to(t_, i); }
  bool has_posted(std::uint32_t i, std::uint64_t step) const noexcept {
    return board(i).step.load(std::memory_order_acquire) >= step;
  }
  bool decided() const noexcept { return decision_.load(std::memory_order_acquire) >> proposer_bits >= step_; }
  bool is_over() const { return over_ && over_(); }

  bool all_have_asked() const {
    for (std::uint32_t i = 0; i < t_.size; ++i)
      if (!has_posted(i, step_) && !is_lost(i) && !has_ended(*t_.owner, t_.members[i])) return false;
    return true;
  }
  template <class Done>
  void wait(Done&& done) const {
    t_.self->messages->waits.wait_until(done, operation_);
  }
  void post(std::uint64_t step) const {
    mine().step.store(step, std::memory_order_release);
    wake_members_here(t_);
  }

  void propose() {
    std::uint64_t word[survivor_board::words] = {};
    for (std::uint32_t i = 0; i < t_.size; ++i)
      if (has_posted(i, step_) && !is_lost(i)) word[i / 64] |= std::uint64_t{1} << i % 64;
    for (std::size_t w = 0; w < survivor_board::words; ++w) mine().proposal[w].store(word[w], std::memory_order_release);
    const std::vector<new_rank> new_ranks = grows_ ? new_ranks_that_ask(*t_.owner) : std::vector<new_rank>{};
    for (std::size_t i = 0; i < most_new_ranks; ++i)
      mine().new_ranks[i].store(i < new_ranks.size() ? new_ranks[i].word() : 0, std::memory_order_release);
    std::uint64_t before = decision_.load(std::memory_order_acquire);
    while (before >> proposer_bits < step_)
      if (decision_.compare_exchange_weak(before, step_ << proposer_bits | t_.rank, std::memory_order_acq_rel)) break;
    wake_members_here(t_);
  }

  team_record& t_;
  const std::uint64_t step_;
  const char* const operation_;
  const std::function<bool()>& over_;
  const bool grows_;
  std::atomic<std::uint64_t>& decision_;
};

// One in which nothing may be on its way to a member, if there is one: settle_slot clears memory, and reaches nothing that a
// network still carries between hosts.
std::uint32_t pick_slot(const survivor_board::request& common) {
  const std::uint32_t settled = common.free_slots & ~common.unsettled;
  return std::uint32_t(std::countr_zero(settled != 0 ? settled : common.free_slots));
}

team_record* make_team(const team_record& t, const chosen_ranks& chosen, const survivor_board::request& common,
                       const char* operation) {
  if (common.free_slots == 0)
    throw_limit(operation,
                "no place for another team: these ranks hold 15 beside world already; let some team values go, and fence if "
                "containers of such teams have ended: a team stays until then");
  const std::uint32_t slot = pick_slot(common);
  if ((common.unsettled >> slot & 1) != 0) settle_slot(*t.owner, slot);
  std::vector<rank_t> members;
  std::vector<std::uint32_t> lives;
  for (const std::uint32_t i : chosen.members) {
    members.push_back(t.members[i]);
    if (!t.lives.empty()) lives.push_back(t.lives[i]);
  }
  for (const new_rank& one : chosen.new_ranks) {
    members.push_back(one.rank);
    lives.push_back(one.life);
  }
  return make_record(*t.owner, std::move(members), std::move(lives), slot, common.highest_step + team_slot::flat_lines);
}

void invite_new_ranks(const team_record& t, const team_record& made, const chosen_ranks& chosen,
                      const survivor_board::request& common, std::uint64_t step) {
  if (chosen.new_ranks.empty()) return;
  invitation what{{made.id, t.id, made.first_step, step + 1, t.slot, made.slot, std::uint32_t(chosen.members.size()),
                   common.unsettled >> made.slot & 1},
                  {},
                  ancestors_behind(t)};
  for (std::uint32_t i = 0; i < made.size; ++i) what.ranks.push_back(new_rank{made.members[i], made.lives[i]}.word());
  for (const new_rank& one : chosen.new_ranks) invite(outbox_of(*t.self), one, what);
}

void note_origin(team_state& s, const team_record& old, const team_record& made) {
  std::erase_if(s.left_of,
                [&s](const auto& one) { return std::ranges::find(s.teams, one.first, &team_record::id) == s.teams.end(); });
  std::vector<std::uint64_t> olds{old.id};
  if (const auto before = s.left_of.find(old.id); before != s.left_of.end())
    olds.insert(olds.end(), before->second.begin(), before->second.end());
  s.left_of[made.id] = std::move(olds);
}

agreed use_team(team_record& t, team_record* made, const std::vector<std::uint32_t>& members) {
  made->ancestors = ancestors_behind(t);  // not before: it would be revoked with those that are given up
  t.left_out.assign(t.size, true);
  for (const std::uint32_t i : members) t.left_out[i] = false;
  t.self->messages->lost.hear();  // of those that another member knew to be lost: they are no news to waits that follow
  t.self->messages->lost.accept(made->lost);
  note_origin(*t.owner, t, *made);
  return {made, false};
}

agreed give_up_team(team_record* made) {
  hold(made);
  let_go(made);
  return {};
}

agreed agree_by_gathering(team_record& t, std::uint64_t step, const char* operation, bool grows) {
  if (has_news(t)) t.self->messages->lost.again();
  const gathered_choice what = gather_members(t, step, operation, grows);
  if (what.over) return {nullptr, true, what.passed};
  team_record* const made = make_team(t, what.chosen, what.common, operation);
  invite_new_ranks(t, *made, what.chosen, what.common, step);
  return gather_ready(*made, row_of(t), step + 1, operation) ? use_team(t, made, what.chosen.members) : give_up_team(made);
}

}  // namespace

survivor_board& survivor_board_of(const team_record& t, std::uint32_t i) noexcept {
  return t.owner->boards(i < t.size ? t.members[i] : t.self->rank, t.slot).survivors;
}

void wake_members_here(const team_record& t) {
  for (const rank_t r : t.members)
    if (r != t.self->rank && t.self->host->locals().holds(r)) t.self->out->notify(r);
}

bool has_news(const team_record& t) noexcept {
  for (std::uint32_t i = 0; i < t.size; ++i)
    if (is_lost_to(t, i) && (t.left_out.empty() || !t.left_out[i])) return true;
  return false;
}

void revoke_descendants(const team_record& t) {
  for (team_record* const d : t.owner->teams)
    if (d->lost == no_rank && d != t.owner->living->team() && std::ranges::find(d->ancestors, t.id) != d->ancestors.end())
      revoke(*d, t.lost);
}

namespace {

// What others have let go of comes by a network, which may be slower than the memory in which the ranks of a host agree: one that
// has no place left waits a while.
survivor_board::request slots_to_offer(team_record& t, const char* operation) {
  constexpr std::uint64_t patience_ns = 1'000'000'000;
  survivor_board::request mine = slots_here(*t.owner);
  if (mine.free_slots != 0 || t.host_leaders.empty()) return mine;
  const auto has_place = [&] {
    mine = slots_here(*t.owner);
    return mine.free_slots != 0;
  };
  t.self->messages->waits.wait_until_deadline(has_place, now_ns() + patience_ns, operation);
  return mine;
}

}  // namespace

agreed agree_on_team(team_record& t, std::uint64_t step, const char* operation, const std::function<bool()>& over, bool grows) {
  if (t.owner->left != nullptr) return agree_by_gathering(t, step, operation, grows);
  agreement asked(t, step, operation, over, grows);
  const auto chosen = asked.decide(slots_to_offer(t, operation));
  if (!chosen) return {nullptr, true};
  if (!chosen->new_ranks.empty()) t.self->messages->lost.hear();  // that they live, which another member knew
  const survivor_board::request common = asked.common(*chosen);
  team_record* const made = make_team(t, *chosen, common, operation);
  invite_new_ranks(t, *made, *chosen, common, step);
  return asked.all_ready(*chosen, made->id) ? use_team(t, made, chosen->members) : give_up_team(made);
}

}  // namespace armilla::detail
