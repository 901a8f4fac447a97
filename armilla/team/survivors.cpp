// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/survivors.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "armilla/am/endpoint.hpp"
#include "armilla/base/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team/last_fence.hpp"
#include "armilla/team/team_state.hpp"

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
namespace armilla::detail {
namespace {

constexpr const char* operation = "team::survivors";
constexpr unsigned proposer_bits = 10;
static_assert(collective_layout::most_ranks <= 1u << proposer_bits);

bool has_news(const team_record& t) noexcept {
  for (std::uint32_t i = 0; i < t.size; ++i)
    if (t.self->out->is_lost(t.members[i]) && (t.left_out.empty() || !t.left_out[i])) return true;
  return false;
}

void revoke_descendants(const team_record& t) {
  for (team_record* const d : t.owner->teams)
    if (d->lost == no_rank && std::ranges::find(d->ancestors, t.id) != d->ancestors.end()) revoke(*d, t.lost);
}

class agreement {
 public:
  explicit agreement(team_record& t) : t_(t), step_(++t.survivor_step), decision_(board(0).decided) {}

  /// Members of the old team.
  std::vector<std::uint32_t> decide(const survivor_board::request& wanted) {
    mine().wanted = wanted;
    show(step_);
    if (has_news(t_)) t_.self->messages->lost.again();
    wait([&] { return decided() || all_have_asked(); });
    if (!decided()) propose();
    const auto proposer = std::uint32_t(decision_.load(std::memory_order_acquire) & ((1u << proposer_bits) - 1));
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t i = 0; i < t_.size; ++i)
      if ((board(proposer).proposal[i / 64].load(std::memory_order_acquire) >> i % 64 & 1) != 0) chosen.push_back(i);
    if (!std::ranges::binary_search(chosen, t_.rank)) t_.self->messages->lost.raise(t_.self->rank, operation);
    return chosen;
  }

  /// False: one of them was lost before it was ready, which all see.
  bool all_ready(const std::vector<std::uint32_t>& chosen) {
    const std::uint64_t ready = ++t_.survivor_step;
    show(ready);
    const auto is_ready = [&](std::uint32_t i) { return shows(i, ready); };
    wait([&] { return std::ranges::all_of(chosen, [&](std::uint32_t i) { return is_ready(i) || is_lost(i); }); });
    return std::ranges::all_of(chosen, is_ready);
  }

  const survivor_board::request& wanted_by(std::uint32_t i) const { return board(i).wanted; }

 private:
  survivor_board& board(std::uint32_t i) const noexcept { return t_.slots[i]->survivors; }
  survivor_board& mine() const noexcept { return board(t_.rank); }
  bool is_lost(std::uint32_t i) const noexcept { return t_.self->out->is_lost(t_.members[i]); }
  bool shows(std::uint32_t i, std::uint64_t step) const noexcept { return board(i).step.load(std::memory_order_acquire) >= step; }
  bool decided() const noexcept { return decision_.load(std::memory_order_acquire) >> proposer_bits >= step_; }

  bool all_have_asked() const {
    for (std::uint32_t i = 0; i < t_.size; ++i)
      if (!shows(i, step_) && !is_lost(i) && !has_ended(*t_.owner, t_.members[i])) return false;
    return true;
  }
  template <class Done>
  void wait(Done&& done) const {
    t_.self->messages->waits.wait_until(done, operation);
  }
  void show(std::uint64_t step) const {
    mine().step.store(step, std::memory_order_release);
    notify_members(t_);
  }

  void propose() {
    std::uint64_t word[survivor_board::words] = {};
    for (std::uint32_t i = 0; i < t_.size; ++i)
      if (shows(i, step_) && !is_lost(i)) word[i / 64] |= std::uint64_t{1} << i % 64;
    for (std::size_t w = 0; w < survivor_board::words; ++w) mine().proposal[w].store(word[w], std::memory_order_release);
    std::uint64_t before = decision_.load(std::memory_order_acquire);
    while (before >> proposer_bits < step_)
      if (decision_.compare_exchange_weak(before, step_ << proposer_bits | t_.rank, std::memory_order_acq_rel)) break;
    notify_members(t_);
  }

  team_record& t_;
  const std::uint64_t step_;
  std::atomic<std::uint64_t>& decision_;
};

void require_one_host(const team_record& t) {
  for (const rank_t r : t.members)
    if (t.self->host->far[std::size_t(r)])
      throw_usage(operation,
                  "the team has members that do not share this rank's memory; what is left of a team is found on one "
                  "host only, with ARMILLA_FABRIC=shm");
}

/// Of all that were chosen.
survivor_board::request common(const agreement& asked, const std::vector<std::uint32_t>& chosen) {
  survivor_board::request all{0, ~0u, 0};
  for (const std::uint32_t i : chosen) {
    const survivor_board::request& one = asked.wanted_by(i);
    all.highest_step = std::max(all.highest_step, one.highest_step);
    all.free_slots &= one.free_slots;
    all.unsettled |= one.unsettled;
  }
  return all;
}

team_record* make_team(const team_record& t, const std::vector<std::uint32_t>& chosen, const survivor_board::request& common) {
  if (common.free_slots == 0)
    throw_limit(operation, "no place for another team: these ranks hold 15 beside world already; let some team values go");
  const auto slot = std::uint32_t(std::countr_zero(common.free_slots));
  if ((common.unsettled >> slot & 1) != 0) settle_slot(*t.owner, slot);
  std::vector<rank_t> members;
  for (const std::uint32_t i : chosen) members.push_back(t.members[i]);
  return make_record(t, std::move(members), slot, common.highest_step + team_slot::flat_lines);
}

}  // namespace

void settle_slot(team_state& s, std::uint32_t slot) {
  const collective_layout& layout = s.layout;
  for (const std::uint32_t one : {slot, slot + collective_layout::to_twin}) {
    s.areas[one].reset();
    std::byte* const own = s.self.host->collective(s.self.rank);
    std::memset(own + layout.pair(one, 0), 0, layout.exchange(one, s.self.ranks) - layout.pair(one, 0));
  }
  s.unsettled &= ~(1u << slot);
}

// A member that is in no collective with this one any more may have been awaited in one of a smaller team.
void follow_survivors(context& self) {
  if (self.teams == nullptr) return;
  for (const team_record* const t : self.teams->teams) {
    const auto gives_up = [t](const team_slot* s) {
      return s->survivors.step.load(std::memory_order_acquire) > t->survivor_step;
    };
    if (t->lost != no_rank && has_news(*t) && std::ranges::any_of(t->slots, gives_up)) revoke_descendants(*t);
  }
}

namespace {

void note_origin(team_state& s, const team_record& old, const team_record& made) {
  std::erase_if(s.left_of,
                [&s](const auto& one) { return std::ranges::find(s.teams, one.first, &team_record::id) == s.teams.end(); });
  std::vector<std::uint64_t> olds{old.id};
  if (const auto before = s.left_of.find(old.id); before != s.left_of.end())
    olds.insert(olds.end(), before->second.begin(), before->second.end());
  s.left_of[made.id] = std::move(olds);
}

}  // namespace

bool is_left_of(const team& t, const team& old) {
  if (current == nullptr || current->teams == nullptr) return false;
  const auto& left_of = current->teams->left_of;
  const auto of_t = left_of.find(t.id());
  if (of_t == left_of.end()) return false;
  for (rank_t i = 0; i < t.size(); ++i)
    if (old.rank_of(t.world_rank(i)) < 0) return false;
  const auto is_origin = [&](std::uint64_t id) { return std::ranges::find(of_t->second, id) != of_t->second.end(); };
  const auto of_old = left_of.find(old.id());
  return is_origin(old.id()) || (of_old != left_of.end() && std::ranges::any_of(of_old->second, is_origin));
}

team_record* run_survivors(team_record* parent) {
  context& c = require_entry(parent, collective::survivors);
  refuse_parts_of_bodies(c, operation);
  team_record& t = *parent;
  require_one_host(t);
  const inside_team alone(t, operation);
  ++c.count->collectives;
  c.out->flush();
  if (t.lost != no_rank && has_news(t)) revoke_descendants(t);
  for (;;) {
    agreement asked(t);
    const std::vector<std::uint32_t> chosen = asked.decide(slots_here(*t.owner));
    team_record* const made = make_team(t, chosen, common(asked, chosen));
    std::vector<std::uint64_t> ancestors = std::exchange(made->ancestors, {});  // not to be revoked with those that are given up
    if (asked.all_ready(chosen)) {
      made->ancestors = std::move(ancestors);
      t.left_out.assign(t.size, true);
      for (const std::uint32_t i : chosen) t.left_out[i] = false;
      c.messages->lost.hear();  // of those that another member knew to be lost: they are no news to waits that follow
      c.messages->lost.accept(made->lost);
      note_origin(*t.owner, t, *made);
      return made;
    }
    hold(made);
    let_go(made);
  }
}

}  // namespace armilla::detail
