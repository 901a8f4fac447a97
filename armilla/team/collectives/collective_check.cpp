// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "armilla/am/endpoint/endpoint.hpp"
#include "armilla/base/core/error_text.hpp"
#include "armilla/base/values/clock.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"
#include "armilla/team/core/record.hpp"
#include "armilla/team/core/remote_messages.hpp"
#include "armilla/team/core/team_state.hpp"

namespace armilla::detail {
namespace {

bool has_root(collective kind) {
  return kind == collective::broadcast || kind == collective::scatter || kind == collective::reduce || kind == collective::gather;
}

[[noreturn]] void throw_different(const team_record& t, rank_t other, std::uint64_t number, const std::string& mine,
                                  const std::string& theirs, collective kind) {
  const std::uint64_t which = number << 16 | (t.slot + 1u);
  const std::string its_algorithm = algorithm_of(*t.self, other, which);
  post_mismatch(*t.self, which);
  const auto in_operation = [](const std::string& name) { return name.empty() ? name : " in " + name; };
  throw_usage(algorithm_here(name_of(kind)),
              about(t) + fmt::format("ranks entered different collectives: rank {} {}{}, rank {} {}{} (number {} of this team); "
                                     "every member of a team must call its collectives and algorithms in the same order",
                                     t.self->rank, mine, in_operation(algorithm_here("")), other, theirs,
                                     in_operation(its_algorithm), number - t.first_step));
}

const intention_line& entered_by(const team_record& t, rank_t r) { return t.owner->slot(r, t.slot).entered; }

/// What a member shows that has left `entered`, or has refused its arguments for the `refusals`-th time: the kind, the root and
/// the type are kept.
intention left_from(const intention& entered, std::uint64_t refusals = 0) noexcept {
  return {collective::left, entered.root, std::uint64_t(entered.kind) | std::min<std::uint64_t>(refusals, 255) << 8,
          entered.type};
}
intention as_entered(const intention& shown) noexcept {
  return shown.kind != collective::left ? shown : intention{collective(shown.bytes & 0xff), shown.root, 0, shown.type};
}
// One that this rank has refused as often: it has not entered it for that reason, and may still come.
bool is_refused_by_both(const team_record& t, const intention& shown, std::uint64_t number) noexcept {
  const std::uint64_t refusals = shown.kind == collective::left ? shown.bytes >> 8 : 0;
  return refusals != 0 &&
         std::ranges::any_of(t.refused, [&](const team_record::refusal& r) { return r.number == number && r.times >= refusals; });
}

// What the owner of `line` has entered as number `number` of its team; 0: not known. A rank that is further on keeps the last
// ones only, and the oldest of them may be about to go.
std::uint64_t entered_as(const intention_line& line, std::uint64_t number) {
  const std::uint64_t before = line.number.load(std::memory_order_acquire);
  const std::uint64_t what = line.what[number % intention_line::kept].load(std::memory_order_acquire);
  const std::uint64_t after = line.number.load(std::memory_order_acquire);
  return before >= number && after - number < intention_line::kept - 1 ? what : 0;
}

/// A member whose part of a collective will never come.
[[noreturn]] void throw_left(const team_record& t, rank_t other, std::uint64_t number, collective kind) {
  const collective its = intention::from(entered_as(*t.entered, number)).kind;  // as this rank has entered it
  const char* const left = its == collective::none || its == collective::left ? "an earlier collective" : name_of(its);
  throw consequence(
      algorithm_here(name_of(kind)),
      about(t) +
          fmt::format("rank {} has left {} by an exception, so rank {} cannot end {} (number {} of this team); the team is "
                      "invalid: make a new one",
                      other, left, t.self->rank, number == t.number ? "it" : name_of(kind), number - t.first_step));
}

// Programs number their types differently: between them the signs tell structures apart, and words all else.
bool are_alike(const team_record& t, std::uint64_t here, std::uint64_t there) {
  return ((here ^ there) & (t.type_shift != 0 ? ~std::uint64_t{0} : ~type_mark::bits)) == 0;
}

bool differ_at(const team_record& t, rank_t r, std::uint64_t number) {
  const std::uint64_t here = entered_as(*t.entered, number), there = entered_as(entered_by(t, r), number);
  return here != 0 && there != 0 && !are_alike(t, here, there) && !is_refused_by_both(t, intention::from(there), number);
}

// The first collective that is known to differ; 0: none.
std::uint64_t first_difference(const team_record& t, rank_t r) {
  for (std::uint64_t number = t.number - std::min<std::uint64_t>(t.number - t.first_step, intention_line::kept);
       number < t.number;)
    if (differ_at(t, r, ++number)) return number;
  return 0;
}

// Of a rank of which nothing is known but the sign of a word that it has shown.
std::string describe_sign(const team_record& t, std::uint64_t word) {
  const collective kind = kind_of_sign(word);
  std::string text = kind == collective::end ? describe({kind}) : name_of(kind);
  if (kind == kind_of_sign(t.sign)) text += ", but with another root, size or type, or after other collectives";
  return text;
}

const char* name_of_pattern(pattern p) noexcept {
  switch (p) {
    case pattern::flat: return "flat";
    case pattern::tree: return "a binary tree";
    case pattern::hypercube: return "a hypercube";
    default: return "another pattern";  // decoded from what another rank has written
  }
}

// A rank on another host tells what it has entered when it is asked.
void hear_of(const team_record& t, rank_t r) {
  if (!t.self->host->far[std::size_t(r)]) return;
  constexpr std::uint64_t patience_ns = 300'000'000;
  tell_entered(t);
  ask_entered(t, r);
  t.self->messages->waits.wait_until_deadline([&] { return first_difference(t, r) != 0 || has_left(t, r); },
                                              now_ns() + patience_ns, name_of(collective::none));
}

}  // namespace

std::string describe(const intention& i) {
  if (i.kind == collective::left) return "has left it by an exception";
  if (i.kind == collective::end) return i.root == 0 ? "has ended its function" : "has come to its end";
  const std::string type = type_known_as(i.type.id());
  if (i.kind == collective::elements) return "uses elements of type " + (type.empty() ? "not known here" : type);
  std::string text = name_of(i.kind);
  if (i.kind == collective::fence && i.root != 0) text += fmt::format(" as {}", name_of_pattern(pattern(i.root)));
  if (has_root(i.kind)) text += fmt::format(" with root {}", i.root);
  if (i.bytes != 0) text += fmt::format(" of {} bytes{}", i.bytes, i.bytes == intention::most_bytes ? " or more" : "");
  if (!type.empty()) text += fmt::format(" ({})", type);
  return text;
}

// Own lines and steps, so that nothing else depends on whether a job checks. Two lines are enough: all meet each time.
void check_entry(team_record& t, const intention& what) {
  if (t.lost != no_rank) t.self->messages->lost.raise(t.lost, name_of(what.kind));
  const std::uint64_t step = t.first_step + ++t.check_step;
  const std::uint64_t mine = what.word();
  flag_line& line = t.my_slot().check[step % 2];
  std::memcpy(line.payload, &mine, sizeof mine);
  line.step.store(step, std::memory_order_release);
  post_line(t, line, sizeof mine);
  std::uint32_t different = t.size;
  std::uint64_t theirs, first = 0;
  for (std::uint32_t i = 0; i < t.size; ++i) {  // to the end, whatever is found: a member that goes on must have met all
    if (i == t.rank) continue;
    const flag_line& other = t.slots[i]->check[step % 2];
    await_step_of_any(t, other.step, step, name_of(what.kind));
    std::memcpy(&theirs, other.payload, sizeof theirs);
    if (different == t.size && !are_alike(t, mine, theirs)) different = i, first = theirs;
  }
  if (different == t.size) return;
  t.past = 0;  // on all members: they may go on
  throw_different(t, t.members[different], t.number, describe(what), describe(intention::from(first)), what.kind);
}

void note_elements(const team& t, const type_mark& type, bool may_meet) {
  team_record* const all = t.record_;
  // What cannot enter a collective hears of it there.
  if (all == nullptr || all->size == 1 || all->self != current || all->inside != nullptr || !may_enter(*current)) return;
  const intention what{collective::elements, 0, 0, type};
  note_entry(*all, what);
  if (all->checking && may_meet) [[unlikely]]
    check_entry(*all, what);
}

bool runs_one_program(const team& t) noexcept { return t.record_ == nullptr || t.record_->type_shift != 0; }

namespace {

// Which collective of `t` member `r` has left by an exception; 0: none that this rank has come to. It enters no other, so what it
// has entered last stays that. A slot holds what its earlier teams have entered, too.
std::uint64_t left_at(const team_record& t, rank_t r) noexcept {
  const intention_line& line = entered_by(t, r);
  const std::uint64_t number = line.number.load(std::memory_order_acquire);
  if (number <= t.first_step || number > t.number) return 0;
  const intention what = intention::from(line.what[number % intention_line::kept].load(std::memory_order_acquire));
  return what.kind == collective::left && !is_refused_by_both(t, what, number) ? number : 0;
}

}  // namespace

bool has_left(const team_record& t, rank_t r) noexcept { return left_at(t, r) != 0; }

bool does_otherwise(const team_record& t, rank_t r) { return differ_at(t, r, t.number) || has_left(t, r); }

namespace {

// All that wait for something of this rank look at what it has entered.
void wake_members(const team_record& t) {
  for (const rank_t r : t.members)
    if (r != t.self->rank && !t.self->host->far[std::size_t(r)]) t.self->out->notify(r);
  if (!t.host_leaders.empty()) tell_entered(t);
}

// f(record) for all teams of this rank, and for their twins.
template <class F>
void for_each_record(team_state& s, F&& f) {
  for (team_record* const t : s.teams)
    for (team_record* r = t; r != nullptr; r = r->twin.get()) f(*r);
}

bool has_refused(const team_record& t) noexcept { return t.refused[0].number == t.number + 1 && t.enters != nullptr; }

// What it shows as number `number`, which it has not entered.
void show(team_record& t, std::uint64_t number, std::uint64_t word) noexcept {
  t.entered->what[number % intention_line::kept].store(word, std::memory_order_release);
  t.entered->number.store(number, std::memory_order_release);
  wake_members(t);
}

}  // namespace

const context_head may_retry;

bool may_call_again(team_state& s) noexcept {
  bool any = false;
  for_each_record(s, [&any](const team_record& t) { any |= has_refused(t); });
  return any;
}

void tell_refusals(team_state& s, const team_record* next) {
  for_each_record(s, [next](team_record& t) {
    if (t.enters == &may_retry) t.enters = t.head;
    if (!has_refused(t)) return;
    team_record::refusal& last = t.refused[0];
    const std::uint32_t shown = std::exchange(last.shown, &t == next ? 0 : last.times);
    if (last.shown != shown) show(t, last.number, last.shown == 0 ? 0 : left_from(intention::from(last.word), last.times).word());
    if (last.shown != 0) t.enters = &may_retry;  // so that it is taken back when this rank comes back
  });
}

void note_refusal(const team_record* team, const intention& what) noexcept {
  if (team == nullptr || team->size == 1 || team->self != current || team->enters == nullptr) return;
  team_record& t = const_cast<team_record&>(*team);
  const std::uint64_t number = t.number + 1;
  if (t.refused[0].number != number) {
    std::ranges::move_backward(std::begin(t.refused), std::end(t.refused) - 1, std::end(t.refused));
    t.refused[0] = {number};
  }
  ++t.refused[0].times;
  t.refused[0].word = what.word();
  for_each_record(*t.owner, [&t](team_record& other) {
    if (&other != &t && other.enters == other.head) other.enters = &may_retry;
  });
}

void require_entry_slowly(const team_record* t, collective kind) {
  if (t != nullptr && t->self == current && t->enters == &may_retry) tell_refusals(*t->owner, t);
  const context_head* const c = current_head;
  if (c == nullptr || t == nullptr || t->enters != c || t->inside != nullptr || !may_enter(*c)) throw_cannot_enter(t, kind);
}

void leave_call(const team& twin, const call_of_twin& before) noexcept {
  team_record& t = *twin.record_;
  if (t.size == 1 || t.enters == nullptr || t.owner == nullptr) return;
  const call_of_twin now = call_begins(twin);
  if (now.number == before.number && now.refusals != before.refusals) return;  // it may repeat that call
  t.past = past_behind(t.past + mark_in_past({collective::left}, t.type_shift));
  note_refusal(&t, {collective::none});
}

call_of_twin call_begins(const team& twin) noexcept {
  const team_record& t = *twin.record_;
  return {t.number, t.refused[0].number == t.number + 1 ? t.refused[0].times : 0};
}

void leave_collective(const team_record& t) noexcept {
  if (t.lost != no_rank || t.owner == nullptr) return;  // which all members hear
  const std::uint32_t slot = t.keeper->slot;
  if (slot < collective_layout::slots) t.owner->unsettled |= 1u << slot;
  team_record& mine = const_cast<team_record&>(t);
  mine.enters = nullptr;  // this member enters no other collective of it
  std::atomic<std::uint64_t>& what = t.entered->what[t.entered_at];
  const intention entered = intention::from(what.load(std::memory_order_relaxed));
  if (entered.kind != collective::left) what.store(left_from(entered).word(), std::memory_order_release);
  wake_members(t);
  if (t.host_leaders.empty()) return;
  try {
    abandon(t);     // others may have announced something, and wait until it has moved
  } catch (...) {}  // no memory: they hear that this rank has left
}

namespace {

[[noreturn]] void tell_difference(const team_record& t, rank_t r, std::uint64_t word) {
  hear_of(t, r);
  const intention mine = intention::from(entered_as(*t.entered, t.number));
  const std::uint64_t left = left_at(t, r), first = first_difference(t, r), number = first != 0 ? first : left;
  if (number != 0 && number == left) {
    const intention here = intention::from(entered_as(*t.entered, number));
    for (const rank_t other : t.members) {  // the reason for which it has left, perhaps: the first cause is told
      const intention theirs = as_entered(intention::from(entered_as(entered_by(t, other), number)));
      const bool other_type = t.type_shift != 0 && theirs.type.word != 0 && theirs.type.word != here.type.word;
      if (here.kind != collective::none && theirs.kind != collective::none &&
          (theirs.kind != here.kind || theirs.root != here.root || other_type))
        throw_different(t, other, number, describe(here), describe(theirs), here.kind);
    }
    throw_left(t, r, number, mine.kind);
  }
  if (number != 0)
    throw_different(t, r, number, describe(intention::from(entered_as(*t.entered, number))),
                    describe(intention::from(entered_as(entered_by(t, r), number))), mine.kind);
  throw_different(t, r, t.number, describe(mine), describe_sign(t, word), mine.kind);
}

}  // namespace

void throw_does_otherwise(const team_record& t, rank_t r, std::uint64_t word) try { tell_difference(t, r, word); } catch (...) {
  leave_collective(t);
  throw;
}

const char* name_of(collective kind) noexcept {
  switch (kind) {
    case collective::none:
    case collective::left: break;
    case collective::barrier: return "barrier";
    case collective::fence: return "fence";
    case collective::split: return "team::split";
    case collective::broadcast: return "team::broadcast";
    case collective::scatter: return "team::scatter";
    case collective::reduce: return "team::reduce";
    case collective::all_reduce: return "team::all_reduce";
    case collective::reduce_scatter: return "team::reduce_scatter";
    case collective::survivors: return "team::survivors";
    case collective::grow: return "team::grow";
    case collective::inclusive_scan: return "team::inclusive_scan";
    case collective::exclusive_scan: return "team::exclusive_scan";
    case collective::gather: return "team::gather";
    case collective::all_gather: return "team::all_gather";
    case collective::all_to_all: return "team::all_to_all";
    case collective::all_to_all_v: return "team::all_to_all_v";
    case collective::all_gather_v: return "team::all_gather_v";
    case collective::end: return "the end";
    case collective::elements: return "elements";
  }
  return "team";
}

void throw_cannot_enter(const team_record* t, collective kind) {
  if (current == nullptr) throw_no_rank(name_of(kind));
  const char* const operation = algorithm_here(name_of(kind));
  if (t == nullptr && algorithm_here(nullptr) != nullptr) throw_no_ranks(operation);
  if (t == nullptr) throw_usage(operation, empty_team);
  if (t->self == current && t->enters == nullptr)
    throw_usage(operation, about(*t) +
                               "an earlier collective of this team has failed on this rank, in the middle: an exception left it, "
                               "or ranks had entered "
                               "different ones; make a new team of one that is whole");
  if (t->self == nullptr)
    throw_usage(operation, about(*t) + "this team belongs to a session that has ended; make teams inside run()");
  if (t->self != current)
    throw_usage(operation,
                about(*t) + fmt::format("this team value was made by rank {}; each rank uses its own, as split returned it",
                                        t->self->rank));
  if ((kind == collective::fence || kind == collective::split) && may_enter(*current))
    refuse_parts_of_bodies(*current, operation);
  if (t->inside != nullptr && may_enter(*current))
    throw_usage(
        operation,
        about(*t) +
            fmt::format("another fiber of this rank is inside {} of the same team, and ranks would not agree which comes first; "
                        "give each fiber a team of its own, by team::dup",
                        t->inside));
  if (kind == collective::fence || kind == collective::split)
    throw_usage(
        operation,
        "a called function may not enter a collective, and as a fiber (as_fiber) it may not enter this one either; let it send "
        "a one-way call, and call this from the rank's own code or from a fiber that this code started");
  throw_usage(
      operation,
      "a called function may not enter a collective, which waits for every rank; make it a fiber, async(rank, as_fiber(f)), or "
      "let it send a one-way call, and call the collective from the rank's own code");
}

void refuse_parts_of_bodies(const context& c, const char* operation) {
  if (!c.fibers->running().counted && c.body_depth == 0) [[likely]]
    return;
  throw_usage(operation,
              "a fiber that a called function left behind is a part of it, which the fence would wait for, and so is a function "
              "instance; call this from the rank's own code or from a fiber that this code started");
}

rank_t require_members(const team& t, const char* operation) {
  if (!t && current != nullptr && algorithm_here(nullptr) != nullptr) throw_no_ranks(operation);
  if (!t) throw_usage(operation, empty_team);
  return t.size();
}

void throw_bad_root(const team_record& t, collective kind, rank_t root) {
  note_refusal(&t, {kind, 0});
  throw_usage(name_of(kind),
              about(t) + fmt::format("there is no root {} in a team of {}; roots are numbered in the team, from 0 to {}", root,
                                     t.size, t.size - 1));
}

}  // namespace armilla::detail
