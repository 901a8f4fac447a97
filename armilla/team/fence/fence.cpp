// SPDX-License-Identifier: Apache-2.0
#include "armilla/fence.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/am/endpoint/remote_traffic.hpp"
#include "armilla/error.hpp"
#include "armilla/team/core/fence_participant.hpp"
#include "armilla/team/core/member_transfer.hpp"
#include "armilla/team/core/pattern.hpp"
#include "armilla/team/core/replicate.hpp"
#include "armilla/team/core/team_state.hpp"
#include "armilla/team/fence/run_fence.hpp"
#include "armilla/team/membership/living.hpp"

/// Termination detection by counting.
///
/// In a round each member looks once: what frames it has created for each other one, and what it has processed of each other
/// one's (in lines of rings, which count as one goes along). A frame counts as processed when its bodies have ended, which may
/// leave something behind that makes its member busy; so what they sent counts as created before. The fence is over when in one
/// round each pair has processed as much as was created for it, and no member is busy.
///
/// Why: each way keeps its order. Where a pair's counts are equal, its receiver had processed, at its look, just what its sender
/// had created by its own. So nothing is under way from before the looks of all, and nothing from behind them was seen. A member
/// that is not busy sends only because something comes in; what is the first to come in behind a look would have been sent before
/// one. The members need not look at the same time, and a frame may be late: then the pair's counts differ, and there is another
/// round.
///
/// A one-way call that goes by way of other ranks counts for each of its ways in a fence of all ranks, and from end to end in one
/// of a team (am/endpoint/router.hpp).
///
/// Sums over all would not do: a frame that is late and one that was seen early make up for each other. So each pair's lines are
/// multiplied by a weight of its own before they are added up (fabric/pair_weight.hpp). Then sums are equal where all pairs' are,
/// and elsewhere once in 2^64.
///
/// A member with something that has not ended is busy: a body that waits, a fiber that one has left behind, a continuation whose
/// reply has not come, a frame that has not left, a get, put or store of its own that is not done (`accesses_done`:
/// global/start_memory.cpp), a one-way call that a participant (fence_participant.hpp) holds back. The replies of progress
/// threads are in no count, so nothing else tells of such a continuation.
///
/// What participants hold back leaves before each look. But until then bodies and fibers run, and may have brought more.
///
/// Over a network a member shows its counts by a message. One-way calls that are still open travel in that same message, in front
/// of the counts: it saves a message, and the member is busy in that round.
///
/// Papers: STAPL, section 6.5; F. Mattern, Algorithms for distributed termination detection, 1987 (channel counting).
// Model: tests/models/protocols/fence.pml
namespace armilla::detail {
namespace {

struct round_sums {
  std::uint64_t created = 0;
  std::uint64_t processed = 0;
  std::uint64_t busy = 0;  ///< what has not ended; in its upper bits what only another round moves
  std::uint64_t errors = 0;
  std::uint64_t changed = 0;  ///< bits of the participants that have to agree

  bool counts_as(const round_sums& o) const noexcept {
    return created == o.created && processed == o.processed && busy == o.busy;
  }
  void add(const round_sums& o) {
    created += o.created;
    processed += o.processed;
    busy += o.busy;
    errors += o.errors;
    changed |= o.changed;
  }
};
static_assert(sizeof(round_sums) <= flag_line::payload_bytes);

void combine(void*, void* result, const void* low, const void* high) {
  round_sums a, b;
  std::memcpy(&a, low, sizeof a);
  std::memcpy(&b, high, sizeof b);
  a.add(b);
  std::memcpy(result, &a, sizeof a);
}

// A body may end and leave one of these behind, which only `settle` sends: the sum must not stay the same. Each rank adds either
// once at most.
constexpr std::uint64_t one_held_back = std::uint64_t{1} << 32, one_access = std::uint64_t{1} << 47;

// What a revoked participant holds back never leaves: a fence of its team is never over.
void look_at_participants(const team_record& t, round_sums& s) {
  if (any_held_back(*t.owner)) s.busy += one_held_back;
  for (fence_participant* const g : t.owner->participants) {
    const bool gives_up = g->revoked() && g->members().id() == t.id;
    if (gives_up) ++s.busy;
    if (gives_up || (!g->revoked() && g->look())) s.changed |= g->bit();
  }
}

bool is_of_all(const team_record& t) noexcept { return t.size == std::uint32_t(t.self->places); }

// Null: it is all ranks.
const team_record* part_of(const team_record& t) noexcept { return is_of_all(t) ? nullptr : &t; }

round_sums count_here(team_record& t) {
  context& c = *t.self;
  const endpoint& messages = *c.messages;
  const fence_hooks& hooks = t.owner->hooks;
  round_sums s;
  if (is_of_all(t)) [[likely]] {
    s.processed = messages.sums.processed();
    s.created = messages.sums.created();
  } else {
    for (const rank_t r : t.members) s.processed += messages.sums.processed_from(r);
    for (const rank_t r : t.members) s.created += messages.sums.created_for(r);
  }
  s.busy = messages.sums.deferred();
  if (!messages.out.nothing_to_send()) ++s.busy;
  if (hooks.accesses_done != nullptr && !hooks.accesses_done(c, part_of(t))) s.busy += one_access;
  if (hooks.errors != nullptr) s.errors = hooks.errors(c);
  for (const kept_errors& more : hooks.kept) s.errors += more.count(c, is_of_all(t) ? nullptr : &t.id);
  if (!t.owner->participants.empty()) [[unlikely]]
    look_at_participants(t, s);
  return s;
}

void send_held_back(team_record& t) {
  if (!t.owner->participants.empty()) [[unlikely]]
    settle_participants(*t.owner);
}

void ask_others(team_record& t) {
  if (!is_of_all(t) && t.owner->hooks.ask_others != nullptr) [[unlikely]]
    t.owner->hooks.ask_others(*t.self, t);
}

// Before a round: what is open leaves, and what has come is taken in, so that it counts. But what leaves over a network with
// what this rank is about to post waits for that.
void settle(team_record& t) {
  endpoint& messages = *t.self->messages;
  send_held_back(t);
  ask_others(t);
  if (t.fence_piggybacks && has_room(t)) {
    messages.out.far()->flush_all_but_piggybacks(replicate_head_bytes + sizeof(flag_line::step) + sizeof(round_sums));
    if (messages.waits.only_network_to_look_at()) return;
  }
  for (;;) {
    messages.out.flush();
    if (!messages.waits.poll()) return;
    send_held_back(t);
    ask_others(t);
  }
}

/// `posted`: what this member counted.
round_sums run_round(team_record& t, round_sums& posted, const char* what) {
  settle(t);
  posted = count_here(t);
  round_sums sums = posted;
  if (!t.flat_fence) [[unlikely]] {
    meet(t, t.fence_pattern, {&sums, sizeof sums, combine, nullptr}, what);
    return sums;
  }
  const std::uint64_t step = write_flat(t, &sums, sizeof sums, what);
  const flag_line& mine = t.mine[step % team_slot::flat_lines];
  if (t.fence_piggybacks)
    replicate_with_one_way_calls(t, mine, sizeof sums);
  else
    post_line(t, mine, sizeof sums);
  for (std::uint32_t i = 0; i < t.size; ++i) {
    if (i == t.rank) continue;
    round_sums other;
    std::memcpy(&other, await_post(t, i, step, what), sizeof other);
    sums.add(other);
  }
  t.known = step;
  return sums;
}

constexpr int rounds_at_once = 8;  // that count the same, before a fence takes its time

/// A fence whose counts stand still has to wait until bodies that wait have ended. As long as each member would count what it has
/// counted before, another round has the same sums: the first that would not begins it, and the others follow.
class unhurried {
 public:
  explicit unhurried(team_record& t) noexcept : t_(t) {}

  void after(const round_sums& sums, const round_sums& posted) {
    equal_ = sums.counts_as(last_) ? equal_ + 1 : 0;
    last_ = sums;
    if (equal_ >= rounds_at_once) [[unlikely]]
      await_change(posted);
  }

 private:
  // A progress thread counts by itself, and wakes its rank for that.
  [[gnu::cold]] void await_change(const round_sums& posted) {
    const event_count& sleeper = t_.self->messages->sleeper;
    const auto over = [&] {
      return another_counts() || !count_here(t_).counts_as(posted) || t_.lost != no_rank ||
             (sleeper.wait_prepared() && any_has_left());
    };
    t_.self->messages->waits.wait_until(over, "fence: bodies that have not ended");
    if (!t_.flat_fence && !another_counts()) call_all();
  }

  // By a pattern a member sees few of the others.
  void call_all() {
    flag_line& mine = call_line(t_, t_.rank);
    mine.step.store(next_meeting(t_), std::memory_order_release);
    post_line(t_, mine, 0);
  }
  bool another_counts() const noexcept {
    const std::uint64_t next = t_.flat_fence ? t_.step + 1 : next_meeting(t_);
    for (std::uint32_t i = 0; i < t_.size; ++i) {
      if (i == t_.rank) continue;
      const flag_line& line = t_.flat_fence ? t_.slots[i]->flat[next % team_slot::flat_lines] : call_line(t_, i);
      if (step_of(line.step.load(std::memory_order_acquire)) >= next) return true;
    }
    return false;
  }
  // The next round will say which.
  bool any_has_left() const noexcept {
    return std::ranges::any_of(t_.members, [this](rank_t r) { return has_left(t_, r); });
  }

  team_record& t_;
  round_sums last_;
  int equal_ = 0;
};

std::byte* into_record(void* self, std::uint32_t, std::uint64_t bytes) {
  return bytes == sizeof(error_record) ? static_cast<std::byte*>(self) : nullptr;
}

// All members have the error that they are about to throw. It may end them, and what has not left over a network by then would be
// lost with them: those without it would hear of a lost rank, and go on where the job is to fail. Who passes here has seen that
// all have it; so one that is lost meanwhile has mostly gone on with it, and this member does the same.
[[gnu::cold]] void meet_with_error(team_record& t) {
  const std::uint64_t step = post(t, nullptr, 0, "fence");
  try {
    for (std::uint32_t i = 0; i < t.size; ++i) await_post(t, i, step, "fence");
  } catch (const rank_lost&) { return; }
  t.known = step;
}

// The lowest member with an error hands it to all others. False: the errors were of bodies that another fence has told.
[[gnu::cold]] bool share_error(team_record& t, error_record& mine) {
  const std::uint32_t have = t.owner->hooks.take_any_error(*t.self, part_of(t), mine);
  std::uint32_t source = t.size;
  const std::uint64_t step = post(t, &have, sizeof have, "fence");
  for (std::uint32_t i = 0; i < t.size; ++i) {
    std::uint32_t theirs;
    std::memcpy(&theirs, await_post(t, i, step, "fence"), sizeof theirs);
    if (theirs != 0 && source == t.size) source = i;
  }
  t.known = step;
  if (source == t.size) return false;
  member_transfer carry(t, collective::fence);
  if (source == t.rank)
    carry.send_to_others(reinterpret_cast<const std::byte*>(&mine), sizeof mine);
  else
    carry.receive(source, into_record, &mine);
  carry.run();
  meet_with_error(t);
  mine.type[sizeof mine.type - 1] = mine.text[sizeof mine.text - 1] = '\0';
  return true;
}

bool ends_fence(const round_sums& sums) noexcept { return sums.created == sums.processed && sums.busy == 0; }

/// One fence at a time: another would count what the first has not finished.
class only_fence {
 public:
  explicit only_fence(context& c) : teams_(*c.teams) {
    refuse_parts_of_bodies(c, "fence");
    if (teams_.fencing)
      throw_usage("fence", "another fiber of this rank is inside a fence; let one fiber call it, or take turns with a mutex");
    teams_.fencing = true;
  }
  ~only_fence() { teams_.fencing = false; }
  only_fence(const only_fence&) = delete;

 private:
  team_state& teams_;
};

/// Returns the sums of the last round.
round_sums run_rounds(team_record& t, const intention& what) {
  unhurried pace(t);
  for (;;) {
    round_sums posted;
    const round_sums sums = run_round(t, posted, name_of(what.kind));
    ++t.self->count->fence_rounds;
    if (ends_fence(sums)) return sums;
    pace.after(sums, posted);
  }
}

// All members of a team throw the same. A body's error comes first: what a participant could not do it is asked for again.
[[gnu::cold]] void finish(team_record& t, const round_sums& sums, const intention& what) {
  error_record first{};
  bool failed = false;
  if (sums.errors != 0) {
    const inside_team alone(t, name_of(what.kind));
    failed = share_error(t, first);
  }
  std::exception_ptr disagreed;
  if (what.kind == collective::fence) disagreed = let_participants_agree(t, sums.changed);
  let_retired_go(t);
  if (failed) throw remote_error(first.rank, "fence", first.type, first.text, first.from);
  if (disagreed) std::rethrow_exception(disagreed);
}

}  // namespace

void run_fence_as(team_record* team, const intention& what) {
  require_entry(team, what.kind);
  const only_fence mine(*team->self);
  team_record& t = *team;
  context& c = *t.self;
  if (!c.teams->participants.empty()) [[unlikely]] {
    settle_participants(*c.teams);  // what a participant throws comes before anything is entered
    require_entry(team, what.kind);
  }
  round_sums sums;
  {
    const inside_team alone(t, name_of(what.kind));  // also while it polls
    sign_on(t, what);
    if (c.messages->out.observed()) [[unlikely]]
      c.messages->out.count_call();
    const traced whole(c.messages->out.events(), trace_kind::collective, "fence");
    ++c.count->fences;
    const fence_hooks& hooks = t.owner->hooks;
    if (hooks.begin != nullptr) hooks.begin(c);
    sums = run_rounds(t, what);
    if (hooks.end != nullptr) hooks.end(c, t);
  }
  if ((sums.errors | sums.changed) != 0 || !t.owner->retired.empty()) [[unlikely]]
    finish(t, sums, what);
}

void run_fence(team_record* team) { run_fence_as(team, {collective::fence}); }

void run_fence_in(const team& members, pattern how) {
  team_record* const t = members.record_;
  require_entry(t, collective::fence);
  if (t->self->teams->fencing) return run_fence(t);  // which refuses
  struct restored {
    team_record& t;
    pattern before;
    ~restored() { set_fence_pattern(t, before); }
  } at_end{*t, t->fence_pattern};
  set_fence_pattern(*t, how);
  run_fence_as(t, {collective::fence, rank_t(how)});
}

void run_world_fence() {
  team_state& s = *here("fence").teams;
  if (s.living->go_on()) [[unlikely]]
    return s.living->meet(run_fence, "fence");
  run_fence(s.world);
}

}  // namespace armilla::detail
