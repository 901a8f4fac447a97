// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "armilla/base/error.hpp"
#include "armilla/team/record.hpp"

namespace armilla::detail {
namespace {

// What a member is about to do. `bytes` is the size of an element, of a part, or 0 where members may differ.
struct intention {
  std::uint64_t bytes;
  std::uint64_t number;  ///< how many collectives this team has entered
  rank_t root;
  collective kind;

  bool same_as(const intention& o) const { return bytes == o.bytes && root == o.root && kind == o.kind; }
};
static_assert(sizeof(intention) <= flag_line::payload_bytes);

std::string describe(const intention& i) {
  std::string text = name_of(i.kind);
  if (i.root != 0) text += fmt::format(" with root {}", i.root);
  if (i.bytes != 0) text += fmt::format(" of {} bytes", i.bytes);
  return text;
}

[[noreturn]] void throw_different(const team_record& t, std::uint32_t other, const intention& mine, const intention& theirs) {
  throw_usage(name_of(mine.kind),
              fmt::format("ranks entered different collectives: rank {} {}, rank {} {} (number {} of this team); "
                          "every member of a team must call its collectives in the same order",
                          t.members[t.rank], describe(mine), t.members[other], describe(theirs), mine.number));
}

}  // namespace

// Own lines and steps, so that nothing else depends on whether a job checks. Two lines are enough: all meet each time.
void check_entry(team_record& t, collective kind, rank_t root, std::uint64_t bytes) {
  if (t.lost != no_rank) t.self->messages->throw_lost(t.lost, name_of(kind));
  const std::uint64_t step = t.first_step + ++t.check_step;
  const intention mine{bytes, t.check_step, root, kind};
  flag_line& line = t.my_slot().check[step % 2];
  std::memcpy(line.payload, &mine, sizeof mine);
  line.step.store(step, std::memory_order_release);
  reveal(t, line, sizeof mine);
  std::uint32_t different = t.size;
  intention theirs, first;
  for (std::uint32_t i = 0; i < t.size; ++i) {  // to the end, whatever is found: who goes on must have met all
    if (i == t.rank) continue;
    const flag_line& other = t.slots[i]->check[step % 2];
    await_step(t, other.step, step, name_of(kind));
    std::memcpy(&theirs, other.payload, sizeof theirs);
    if (different == t.size && !mine.same_as(theirs)) different = i, first = theirs;
  }
  if (different != t.size) throw_different(t, different, mine, first);
}

const char* name_of(collective kind) noexcept {
  switch (kind) {
    case collective::none: break;
    case collective::barrier: return "barrier";
    case collective::fence: return "fence";
    case collective::split: return "team::split";
    case collective::broadcast: return "team::broadcast";
    case collective::scatter: return "team::scatter";
    case collective::reduce: return "team::reduce";
    case collective::reduce_all: return "team::reduce_all";
    case collective::scan: return "team::scan";
    case collective::exclusive_scan: return "team::exclusive_scan";
    case collective::gather: return "team::gather";
    case collective::gather_all: return "team::gather_all";
    case collective::all_to_all: return "team::all_to_all";
    case collective::all_to_all_v: return "team::all_to_all_v";
  }
  return "team";
}

void throw_cannot_enter(const team_record* t, collective kind) {
  const char* operation = name_of(kind);
  if (current == nullptr) throw_no_rank(operation);
  if (t == nullptr) throw_usage(operation, "this team is empty; a rank that gave split a negative color is in no team");
  if (t->self == nullptr) throw_usage(operation, "this team belongs to a session that has ended; make teams inside run()");
  if (t->self != current)
    throw_usage(operation,
                fmt::format("this team value was made by rank {}; each rank uses its own, as split returned it", t->self->rank));
  throw_usage(operation,
              "a body may not enter a collective, which waits for every rank's own code; let the body send a statement, "
              "and call the collective from the rank's own code");
}

void throw_bad_root(const team_record& t, collective kind, rank_t root) {
  throw_usage(name_of(kind), fmt::format("there is no root {} in a team of {}; roots are numbered in the team, from 0 to {}",
                                         root, t.size, t.size - 1));
}

}  // namespace armilla::detail
