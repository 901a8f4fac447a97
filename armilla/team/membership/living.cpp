// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/membership/living.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/error.hpp"
#include "armilla/team/core/team_state.hpp"
#include "armilla/team/membership/agreement.hpp"
#include "armilla/team/membership/gathered_agreement.hpp"
#include "armilla/team/membership/growth.hpp"
#include "armilla/team/membership/survivors.hpp"

/// Fences and barriers of all ranks, where the job goes on without those it loses.
///
/// Such a meeting is the usual one of world as long as none is lost. A rank that hears of a loss in it asks the others which are
/// left, as `team::survivors` does. They have a team then, repeat the meeting in that, and all throw the same.
///
/// But some may have been through the meeting before they heard. So each rank shows the number of the last one that it has
/// passed, before it leaves it. One that asks never passes by itself any more; and it takes the meeting for over as soon as any
/// rank, also one that has died since, shows that it has passed. As none is left out of an agreement that has not died or ended,
/// either some rank has passed and all find that, or all ask and none ever passes.
///
/// Numbers are the same on all ranks: they grow with each meeting of the program, and within one with each agreement.
///
/// A program may also ask a team for its survivors, which takes those that wait here for the same ranks. So the first such call
/// ends all of this: from then on these meetings throw behind a loss, as other collectives of world do. A rank that makes it asks
/// nothing here. So none can agree without it but behind its death, and then all find that it has made it.
// Model: tests/models/protocols/living.pml
namespace armilla::detail {
namespace {

constexpr unsigned attempt_bits = 16;

end_board& board(const team_state& s, rank_t r) noexcept { return s.boards(r, 0).end; }

}  // namespace

void living_ranks::stop() noexcept {
  if (team_ != s_.world) --team_->references;
}

void living_ranks::meet(void (*meeting)(team_record*), const char* what) {
  const std::uint64_t number = ((passed_ >> attempt_bits) + 1) << attempt_bits;
  if (!attempt(meeting, number)) [[unlikely]]
    recover(meeting, what, number);
  tell(what);
}

// False: a loss has ended it here. What else it throws is thrown on all, behind the meeting; or it has not begun.
bool living_ranks::attempt(void (*meeting)(team_record*), std::uint64_t number) {
  team_record& t = *team_;
  const std::uint64_t entered = t.number;
  try {
    meeting(&t);
  } catch (const rank_lost&) {
    if (t.lost == no_rank) throw;
    return false;
  } catch (...) {
    if (t.number != entered) pass(number);
    throw;
  }
  pass(number);
  return true;
}

void living_ranks::recover(void (*meeting)(team_record*), const char* what, std::uint64_t number) {
  team_record& all = *s_.ending;
  require_member(s_, what);
  for (;; ++number) {
    // Over several hosts armilla-run says whether this meeting had been passed before.
    if (given_up() && s_.left == nullptr) raise(team_->lost, what);
    require_entry(&all, collective::fence);  // one fiber at a time
    const inside_team alone(all, what);
    revoke_descendants(all);  // in which others may wait for this rank
    step_ = number << 1 | 1;
    const auto [made, over, told_passed] =
        agree_on_team(all, number << 1, what, [&] { return passed_by_any(number) || given_up(); });
    const bool passed = s_.left != nullptr ? told_passed : passed_by_any(number);
    if (over && !passed) raise(team_->lost, what);
    if (over) return pass(number);
    if (made == nullptr) continue;
    replace(made);
    if (attempt(meeting, number + 1)) return;
  }
}

void living_ranks::pass(std::uint64_t number) noexcept {
  passed_ = number;
  board(s_, s_.self.rank).passed.store(number, std::memory_order_release);
  if (s_.left != nullptr && s_.world->lost != no_rank) [[unlikely]]
    tell_passed();
}

// Ranks of other hosts need to know it behind a loss only: what passed before that is told when this rank hears of it.
void living_ranks::tell_passed() {
  if (passed_ > told_passed_) s_.left->tell_passed(row_of(*s_.ending), (told_passed_ = passed_) << 1);
}

bool living_ranks::passed_by_any(std::uint64_t number) const noexcept {
  for (rank_t r = 0; r < s_.self.places; ++r)
    if (board(s_, r).passed.load(std::memory_order_acquire) >= number) return true;
  return false;
}

void living_ranks::replace(team_record* made) {
  for (const rank_t r : team_->members)
    if (untold_ == no_rank && made->number_of(r) < 0) untold_ = r;
  hold(made);
  if (team_ != s_.world) let_go(team_);
  team_ = made;
}

void living_ranks::tell(const char* what) {
  if (untold_ != no_rank) [[unlikely]]
    raise(std::exchange(untold_, no_rank), what);
}

void living_ranks::raise(rank_t lost, const char* what) const { s_.self.messages->lost.raise(lost, what); }

void living_ranks::give_up() noexcept {
  if (s_.left != nullptr) return tell_passed(), s_.left->give_up();
  if (goes_on_) s_.boards(0, 0).survivors.asked_for.store(1, std::memory_order_release);
}

bool living_ranks::given_up() const noexcept {
  if (s_.left != nullptr) return s_.left->given_up();
  return s_.boards(0, 0).survivors.asked_for.load(std::memory_order_acquire) != 0;
}

// Those that meet without a lost rank may wait for one that looks for the survivors of another team.
void living_ranks::follow() {
  if (s_.left != nullptr && s_.world->lost != no_rank) tell_passed();
  if (team_ == s_.world || team_->lost != no_rank || !given_up()) return;
  const team_record& all = *s_.world;
  for (std::uint32_t i = 0; i < all.size; ++i)
    if (is_lost_to(all, i)) return revoke(*team_, all.members[i]);
}

}  // namespace armilla::detail

namespace armilla {

team living() { return team(detail::here("living").teams->living->team()); }

}  // namespace armilla
