// SPDX-License-Identifier: Apache-2.0
#include "armilla/team.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include <fmt/format.h>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/core/check.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/base/values/made_text.hpp"
#include "armilla/boot/host/launch.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team/core/collective_wait.hpp"
#include "armilla/team/core/explain_flag.hpp"
#include "armilla/team/core/loss_listener.hpp"
#include "armilla/team/core/member_groups.hpp"
#include "armilla/team/core/member_transfer.hpp"
#include "armilla/team/core/pattern.hpp"
#include "armilla/team/core/replicate.hpp"
#include "armilla/team/core/team_state.hpp"
#include "armilla/team/core/transfer_streams.hpp"

/// How teams share the slots of the collective areas.
///
/// A rank that lets go of its last value of a team says so in the slot (`closed`). The slot is free on this rank again when
/// all members have said so: before, one of them may still be reading. `closed` only grows, so it need not be seen in time.
// Model: tests/models/order/flags.rs
// Model: tests/models/protocols/end.pml
namespace armilla::detail {
namespace {

constexpr std::uint32_t all_slots = (1u << collective_layout::slots) - 1;  // that the program's teams can have

std::uint64_t last_step(const team_record& t) {
  const std::uint64_t own = t.first_step + std::max({t.step - t.first_step, t.pattern_step, t.check_step, t.number - t.first_step,
                                                     t.survivor_step - t.first_step});
  return t.twin == nullptr ? own : std::max(own, last_step(*t.twin));
}

// The lost read nothing any more.
bool closed_by_all(const team_record& t) {
  for (std::uint32_t i = 0; i < t.size; ++i)
    if (t.slots[i]->closed.step.load(std::memory_order_acquire) < t.first_step && !is_lost_to(t, i)) return false;
  return true;
}

// Members that entered different collectives, and only sent, have ended them without a word: what they sent was never read.
bool is_at_rest(const team_state& s, const team_record& t) {
  if (t.slot >= collective_layout::slots) return true;
  for (const std::uint32_t one : {t.slot, t.slot + collective_layout::to_twin})
    if (s.areas[one] != nullptr && !s.areas[one]->at_rest()) return false;
  return true;
}

// Forgets the teams that no value names any more; what remains decides which slots are free.
std::uint32_t free_slots(team_state& s) {
  std::uint32_t used = 0;
  std::erase_if(s.teams, [&](team_record* t) {
    if (t->references != 0 || !closed_by_all(*t)) {
      used |= 1u << t->slot;
      return false;
    }
    s.highest_step = std::max(s.highest_step, last_step(*t));
    if (!is_at_rest(s, *t)) s.unsettled |= 1u << t->slot;
    delete t;
    return true;
  });
  return all_slots & ~used;
}

std::uint64_t highest_step(const team_state& s) {
  std::uint64_t highest = s.highest_step;
  for (const team_record* t : s.teams) highest = std::max(highest, last_step(*t));
  return highest;
}

}  // namespace

survivor_board::request slots_here(team_state& s) {
  const std::uint32_t free = free_slots(s);  // which may raise the highest step
  // What a network carries is told by its team from what comes behind.
  return {highest_step(s), free, s.near.empty() ? 0 : s.unsettled};
}

// What moved in its slot may have stopped in the middle.
void revoke(team_record& t, rank_t lost) {
  team_state& s = *t.owner;
  for (team_record* r = &t; r != nullptr; r = r->twin.get()) {
    r->lost = lost;
    r->checking = true;  // so that a collective hears of it when it is entered
    if (s.areas[r->slot] != nullptr) abandon(*r);
  }
  if (t.slot < collective_layout::slots) s.unsettled |= 1u << t.slot;
  for (fence_participant* const g : s.participants)
    if (g->members().id() == t.id) g->revoke();
}

namespace {

// Where lost ranks are replaced: of all ranks now.
std::vector<std::uint32_t> lives_now(const team_state& s) {
  std::vector<std::uint32_t> lives;
  for (rank_t r = 0; r < s.self.places && s.self.host->job().takes_new_ranks(); ++r) lives.push_back(s.self.out->life(r));
  return lives;
}

void number_members(team_record& t, rank_t places) {
  std::uint32_t in_order = 0;
  while (in_order < t.size && t.members[in_order] == rank_t(in_order)) ++in_order;
  if (in_order == t.size) return;
  t.numbers.assign(std::size_t(places), -1);
  for (std::uint32_t i = 0; i < t.size; ++i) t.numbers[std::size_t(t.members[i])] = rank_t(i);
}

bool run_one_program(const team_record& t) {
  const auto& program = t.self->host->program;
  return std::ranges::all_of(t.members, [&](rank_t r) { return program[std::size_t(r)] == program[std::size_t(t.members[0])]; });
}

std::unique_ptr<team_record> build_record(team_state& s, std::vector<rank_t> members, std::vector<std::uint32_t> lives,
                                          std::uint32_t slot, std::uint64_t first_step) {
  auto t = std::make_unique<team_record>();
  const options& settings = *s.self.settings;
  t->self = &s.self;
  t->head = &s.self;
  t->enters = may_call_again(s) ? &may_retry : t->head;
  t->size = std::uint32_t(members.size());
  t->rank = std::uint32_t(std::ranges::find(members, s.self.rank) - members.begin());
  t->lives = std::move(lives);
  t->members = std::move(members);
  number_members(*t, s.self.places);
  t->owner = &s;
  t->slot = slot;
  t->step = t->known = t->number = t->survivor_step = t->first_step = first_step;
  t->entered_at = std::uint32_t(first_step % intention_line::kept);
  t->boards = s.shown(0, collective_layout::board(slot));
  t->slots.reserve(std::size_t(t->size) + 1);  // of as many as there are nothing may be left over
  for (const rank_t r : t->members) t->slots.push_back(&s.slot(r, slot));
  if (t->rank == t->size) t->slots.push_back(&s.slot(s.self.rank, slot));  // no member: one that has joined later
  t->mine = t->my_slot().flat;
  t->entered = &t->my_slot().entered;
  t->near = near_ranks_of(s.self, t->members);
  t->host_leaders = host_leaders_of(*s.self.host, s.self.rank, t->members);
  choose_groups(*t, settings.collectives);
  t->checking = checked && settings.checked && t->size > 1;
  t->type_shift = run_one_program(*t) ? 16 : 0;
  t->barrier_pattern = choose_barrier(settings.barrier, *t, s.self.host->oversubscribed);
  set_fence_pattern(*t, choose_fence(settings.fence, *t, s.self.host->oversubscribed));
  t->flat_barrier = t->barrier_pattern == pattern::flat;
  // The leader's steps never go back, and it has no two teams in one slot at a time.
  t->id = (std::uint64_t(t->members[0]) << 44 | (first_step << 4 | slot) % (std::uint64_t(1) << 44)) + 1;
  for (std::uint32_t i = 0; i < t->size; ++i)
    if (t->lost == no_rank && is_lost_to(*t, i)) revoke(*t, t->members[i]);
  return t;
}

}  // namespace

team_record* make_record(team_state& s, std::vector<rank_t> members, std::vector<std::uint32_t> lives, std::uint32_t slot,
                         std::uint64_t first_step) {
  s.teams.push_back(build_record(s, std::move(members), std::move(lives), slot, first_step).release());
  return s.teams.back();
}

std::vector<std::uint64_t> ancestors_behind(const team_record& parent) {
  std::vector<std::uint64_t> all = parent.ancestors;
  all.push_back(parent.id);
  return all;
}

namespace {

// All members know its slot and steps, so none need hear of it.
team_record& make_twin(team_record& t) {
  if (t.twin == nullptr) {
    t.twin = build_record(*t.owner, t.members, t.lives, t.slot + collective_layout::to_twin, t.first_step);
    t.twin->keeper = &t;
    t.twin->id = t.id;
    t.twin->lost = t.lost;
    t.twin->checking |= t.checking;
  }
  return *t.twin;
}

const team_record* with_lost_member(const team_state& s, std::uint32_t slot) {
  const auto t = std::ranges::find_if(s.teams, [slot](const team_record* one) {
    return one->lost != no_rank && (one->slot == slot || one->slot + collective_layout::to_twin == slot);
  });
  return t == s.teams.end() ? nullptr : *t;
}

}  // namespace

team_area::team_area(team_state& s, std::uint32_t slot)
    : locals(s.self.host->locals()), pair(locals.count), staging(s.layout.staging(slot)) {
  const collective_layout& layout = s.layout;
  const host_map& host = *s.self.host;
  const auto pair_lines = [&](rank_t of, rank_t to) {
    return reinterpret_cast<pair_line*>(host.staging(of) + layout.pair(slot, host.local(to)));
  };
  const auto exchange_lines = [&](rank_t of, rank_t to) {
    return reinterpret_cast<flag_line*>(s.shown(of, layout.exchange(slot, to)));
  };
  locals.each([&](rank_t r) {
    pair_state& p = with(r);
    p.mine = pair_lines(s.self.rank, r);
    p.mine[0].home = reinterpret_cast<std::uint64_t>(&s);
    p.theirs = pair_lines(r, s.self.rank);
  });
  if (layout.exchange_lines() != 0) exchange.resize(layout.places);
  for (std::size_t r = 0; r < exchange.size(); ++r)
    exchange[r] = {0, exchange_lines(s.self.rank, rank_t(r)), exchange_lines(rank_t(r), s.self.rank)};
  if (const team_record* const t = with_lost_member(s, slot))
    far.abandoned = true, far.abandoned_team = std::uint32_t(t->first_step);
}

team_area::~team_area() = default;

bool team_area::at_rest() const noexcept {
  return std::ranges::all_of(pair, [](const pair_state& p) {
    return p.theirs == nullptr || std::max(p.theirs[0].taken.load(std::memory_order_acquire),
                                           p.theirs[1].taken.load(std::memory_order_acquire)) == p.sent;
  });
}

team_state::team_state(context& c) : self(c), layout{c.host->layout.places, c.host->layout.locals} {
  std::vector<rank_t> everyone(std::size_t(c.places));
  std::iota(everyone.begin(), everyone.end(), 0);
  near = near_ranks_of(c, everyone);
  everyone.resize(std::size_t(c.world_size));
  teams.push_back(world = build_record(*this, everyone, lives_now(*this), 0, 0).release());
  teams.push_back(ending =
                      build_record(*this, std::move(everyone), lives_now(*this), collective_layout::ending_slot, 0).release());
  ending->id = world->id;
  world->references = ending->references = 1;
}

// Values of teams that outlive the session keep their record, which then belongs to them.
team_state::~team_state() {
  loss_listener::let_all_go(*this);
  --world->references;
  --ending->references;
  for (team_record* t : teams) {
    for (team_record* r = t; r != nullptr; r = r->twin.get())
      r->owner = nullptr, r->self = nullptr, r->enters = r->head = nullptr;
    if (t->references == 0) delete t;
  }
}

bool has_ended(const team_state& s, rank_t r) noexcept {
  const std::uint64_t word = s.boards(r, 0).end.word.load(std::memory_order_acquire);
  return word >> end_board::round_bits > s.end_stage && (word & end_board::round_mask) != 0;
}

void hold(team_record* t) noexcept {
  if (t != nullptr) ++t->keeper->references;
}

void let_go(team_record* t) noexcept {
  t = t->keeper;
  if (--t->references != 0) return;
  if (t->owner == nullptr) {
    delete t;
    return;
  }
  flag_line& closed = t->my_slot().closed;
  closed.step.store(t->first_step, std::memory_order_release);
  if (!t->host_leaders.empty()) replicate_to_hosts(*t, &closed, sizeof closed.step);
}

namespace {

// Of the collective area in which `flag` lies.
rank_t owner_of(const context& c, const void* flag) {
  return c.teams->layout.owner_of(std::size_t(static_cast<const std::byte*>(flag) - c.host->collectives));
}

}  // namespace

void await_step_of_any(const team_record& t, const std::atomic<std::uint64_t>& flag, std::uint64_t step, const char* what) {
  const auto there = [&] { return step_of(flag.load(std::memory_order_acquire)) >= step; };
  const inside_team alone(t, what);
  endpoint& messages = *t.self->messages;
  const rank_t owner = owner_of(*t.self, &flag);
  bool left = false;
  const auto over = [&] {
    return there() || t.lost != no_rank || left || (messages.sleeper.wait_prepared() && (left = has_left(t, owner)));
  };
  messages.waits.wait_until(over, what, wait_object::of<explain_flag>(awaited_flag{t, &flag, owner}));
  if (there()) return;
  if (t.lost != no_rank) messages.lost.raise(t.lost, what);
  if (left) throw_does_otherwise(t, owner, 0);
}

void await_step_slowly(const team_record& t, const std::atomic<std::uint64_t>& flag, std::uint64_t step, const char* what) {
  const rank_t owner = owner_of(*t.self, &flag);
  const auto there = [&] { return step_of(flag.load(std::memory_order_acquire)) >= step; };
  wait_in_collective(
      t, there, [&](auto&& ask) { ask(owner); }, what, wait_object::of<explain_flag>(awaited_flag{t, &flag, owner}));
  const std::uint64_t word = flag.load(std::memory_order_acquire);
  if (step_of(word) == step && word != (t.sign | step)) [[unlikely]]
    throw_does_otherwise(t, owner, word);
}

// Of these steps only that they have been counts: they belong to earlier collectives.
void make_room(team_record& t, std::uint64_t step, const char* what) {
  for (std::uint32_t i = 0; i < t.size; ++i)
    if (const auto& shown = t.slots[i]->flat[step % team_slot::flat_lines].step;
        i != t.rank && step_of(shown.load(std::memory_order_acquire)) < step)
      await_step_of_any(t, shown, step, what);
  t.known = step;
}

}  // namespace armilla::detail

namespace armilla {

rank_t team::rank() const noexcept { return record_ == nullptr || record_->rank == record_->size ? -1 : rank_t(record_->rank); }
rank_t team::size() const noexcept { return record_ == nullptr ? 0 : rank_t(record_->size); }
std::uint64_t team::id() const noexcept { return record_ == nullptr ? 0 : record_->id; }

namespace {

[[noreturn, gnu::cold, gnu::noinline]] void throw_no_member(const detail::team_record* t, rank_t member, rank_t size) {
  detail::throw_usage("team::world_rank", (t == nullptr ? "" : detail::about(*t)) +
                                              fmt::format("there is no member {} in a team of {}", member, size));
}

}  // namespace

rank_t team::world_rank(rank_t member) const {
  if (std::uint32_t(member) >= std::uint32_t(size())) [[unlikely]]
    throw_no_member(record_, member, size());
  return record_->members[std::size_t(member)];
}

rank_t team::rank_of(rank_t r) const noexcept { return record_ == nullptr ? -1 : record_->number_of(r); }

team world() { return team(detail::here("world").teams->world); }

namespace detail {

team_record* called_as(team_record* t, const made_at& at) {
  if (t == nullptr) return t;
  const std::string members = with_commas(t->size) + (t->size == 1 ? " member" : " members");
  t->made = text_of_object(shown_name(at.name()), "am::team", members, text_of_place(at.where()));
  return t;
}

std::string about(const team_record& t) { return t.made.empty() ? t.made : t.made + ": "; }

team twin_of(const team& t) {
  if (!t || t.record_->self != current) throw_cannot_enter(t.record_, collective::none);
  return team(&make_twin(*t.record_->keeper));
}

bool has_lost(const team& t, rank_t member) noexcept { return is_lost_to(*t.record_, std::uint32_t(member)); }

twin_turn::twin_turn(const team& t) : keeper_(*t.record_->keeper), before_(current->fibers->running().turn) {
  keeper_.turn.lock();
  keeper_.has_turn = current->fibers->running().turn = ++current->teams->turns;
}

twin_turn::~twin_turn() {
  keeper_.has_turn = 0;
  current->fibers->running().turn = before_;
  keeper_.turn.unlock();
}

bool has_turn(const team& t) noexcept {
  const std::uint64_t turn = t.record_->keeper->has_turn;
  return turn != 0 && turn == current->fibers->running().turn;
}

void throw_unlike_lengths(const team& t, rank_t from, std::size_t length, rank_t other, std::size_t other_length) {
  throw_usage("each", fmt::format("rank {} gives {} elements, rank {} {}; all give as many elements", t.world_rank(from), length,
                                  t.world_rank(other), other_length));
}

void throw_no_member(const team& t, rank_t r, const char* operation) {
  throw_usage(operation,
              fmt::format("rank {} is no member of the object's team, which has {} members; ranks are those of the job: "
                          "team::world_rank gives that of a member",
                          r, t.size()));
}

}  // namespace detail

}  // namespace armilla
