// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "armilla/am/endpoint/sending.hpp"
#include "armilla/base/core/context_head.hpp"
#include "armilla/base/core/throw_place.hpp"
#include "armilla/base/values/collective_pattern.hpp"
#include "armilla/base/values/owned.hpp"
#include "armilla/fiber/scheduler.hpp"
#include "armilla/mutex.hpp"
#include "armilla/team/core/fence_participant.hpp"
#include "armilla/team/core/intention.hpp"
#include "armilla/team/core/lines.hpp"

// Model: tests/models/order/flags.rs
namespace armilla::detail {

struct host_map;
struct pair_line;
struct team_state;

/// The first error of a one-way call's body on a rank, in a form that travels. Texts end with a zero.
struct error_record {
  rank_t rank;
  char type[60];
  char text[960];
  throw_place from;
};

/// A rank's view of one team. The handles (`armilla::team`) point here and count themselves.
struct team_record {
  // what the hot paths touch
  context_head* head = nullptr;          ///< of self
  const context_head* enters = nullptr;  ///< the same; null once this member has left a collective in the middle; see may_retry
  std::uint32_t size = 0;
  std::uint32_t rank = 0;
  std::uint64_t step = 0;                ///< last step of the flat lines
  std::uint64_t known = 0;               ///< every member has shown at least this step
  std::uint64_t sign = 0;                ///< of the collective that this rank is in; in all words that it shows
  std::uint64_t past = 0;                ///< of what this rank has entered: past_behind
  std::uint64_t number = 0;              ///< of the collectives entered, from first_step
  flag_line* mine = nullptr;             ///< my flat lines
  intention_line* entered = nullptr;     ///< mine
  mutable const char* inside = nullptr;  ///< the collective in which a fiber of this rank waits
  std::uint32_t entered_at = 0;          ///< number % intention_line::kept
  bool checking = false;                 ///< compare what the members are about to do
  std::uint8_t type_shift = 0;           ///< for mark_in_past: members of one program compare names of types
  bool flat_barrier = true;
  bool flat_fence = true;
  bool fence_piggybacks = false;  ///< what a fence shows travels behind the one-way calls that are open
  std::vector<team_slot*> slots;  ///< each member's
  std::byte* boards = nullptr;    ///< the first board of world rank 0 in this slot; the others follow
  std::vector<rank_t> members;    ///< world ranks, in the order of the team
  std::vector<rank_t> near;       ///< of them the others on this host: they read what a rank here writes
  std::vector<rank_t> numbers;    ///< by world rank: number_of; none where the members are the first ranks in their order
  // the rest
  context* self = nullptr;
  pattern barrier_pattern;
  pattern fence_pattern;
  std::uint64_t pattern_step = 0;
  std::uint64_t check_step = 0;
  std::uint64_t survivor_step = 0;
  std::uint32_t slot = 0;
  std::uint32_t references = 0;
  std::uint64_t first_step = 0;
  std::uint64_t id = 0;
  std::uint64_t participants = 0;     ///< fence_participants made so far
  team_state* owner = nullptr;        ///< null once the session has ended
  owned<team_record> twin;            ///< the same members once more, for collectives that are asked for later; made when wanted
  team_record* keeper = this;         ///< counts the references: this one, or the one whose twin it is
  mutex turn;                         ///< of the fibers that use the twin
  std::uint64_t has_turn = 0;         ///< by which a fiber uses it now, and those that it starts; 0: none does
  std::string made;                   ///< what errors call it: see called_as; empty: the team of all ranks, and such
  std::vector<rank_t> host_leaders;   ///< one member of each other host
  std::vector<std::uint32_t> groups;  ///< where the members of each host begin, and `size`: see groups.hpp
  std::size_t pairs_from = ~std::size_t(0);       ///< bytes: values and arrays of so many and more move by groups.hpp
  std::size_t scan_pairs_from = ~std::size_t(0);  ///< the same in scans, in which a member waits for those before it only
  rank_t lost = no_rank;                          ///< the first member that was lost: no collective of this team waits any more
  std::vector<std::uint64_t> ancestors;           ///< the teams that it was made from
  std::vector<bool> left_out;                     ///< members that are not in the last team of survivors
  std::vector<std::uint32_t> lives;               ///< where new ranks come: by member, which life of its place it is
  /// Collectives whose arguments this rank has refused, the last one first.
  struct refusal {
    std::uint64_t number = 0;  ///< as which it would have entered it
    std::uint32_t times = 0;
    std::uint32_t shown = 0;  ///< what `times` was when it was shown to the others; 0: it is not
    std::uint64_t word = 0;   ///< intention::word of it
  } refused[8];

  /// In the team, of a world rank; or -1.
  rank_t number_of(rank_t r) const noexcept {
    if (numbers.empty()) return std::uint32_t(r) < size ? r : -1;
    return std::size_t(r) < numbers.size() ? numbers[std::size_t(r)] : -1;
  }
  team_slot& my_slot() const noexcept { return *slots[rank]; }
  bool by_pairs(std::size_t bytes) const noexcept { return bytes >= pairs_from; }
  bool scans_by_pairs(std::size_t bytes) const noexcept { return bytes >= scan_pairs_from; }
};

/// The team was made where `at` says: `"rows" (am::team, 4 members, heat.cpp:31)`. Null is the empty team.
team_record* called_as(team_record* t, const made_at& at);
/// The same in front of what an error says of a team: with ": " behind it.
std::string about(const team_record& t);

/// Whether member `i` is lost, though another rank may have its place by now.
inline bool is_lost_to(const team_record& t, std::uint32_t i) noexcept {
  const sending& out = *t.head->out;
  return out.is_lost(t.members[i]) || (!t.lives.empty() && out.life(t.members[i]) != t.lives[i]);
}

/// While a fiber is inside a collective of a team in which it may wait: others are kept out.
class inside_team {
 public:
  inside_team(const team_record& t, const char* what) noexcept : t_(t), before_(t.inside) { t.inside = what; }
  ~inside_team() { t_.inside = before_; }
  inside_team(const inside_team&) = delete;

 private:
  const team_record& t_;
  const char* before_;
};

// ---- flags ----

/// Waits, answering other ranks, until `flag` has come to `step`. Throws rank_lost when a member is lost before: the flag's owner
/// may wait for that one.
void await_step_of_any(const team_record& t, const std::atomic<std::uint64_t>& flag, std::uint64_t step, const char* what);

/// The same within the collective that this rank has entered. Throws usage_error if the flag's owner has entered another one.
void await_step_slowly(const team_record& t, const std::atomic<std::uint64_t>& flag, std::uint64_t step, const char* what);

/// The same. A few looks first: the peers of a well-balanced program arrive within the flight of a cache line.
inline void await_step(const team_record& t, const std::atomic<std::uint64_t>& flag, std::uint64_t step, const char* what) {
  const std::uint64_t expected = t.sign | step;
  if (flag.load(std::memory_order_acquire) == expected) return;
  if (t.head->out->observed()) [[unlikely]]
    return await_step_slowly(t, flag, step, what);  // a wait is timed from its begin
  for (int i = 0; i < 8; ++i)
    if (flag.load(std::memory_order_acquire) == expected) return;
  await_step_slowly(t, flag, step, what);
}

/// Wakes every other member on this host that sleeps. Those on others are woken by what they are sent.
inline void notify_members(const team_record& t) {
  sending& out = *t.head->out;
  for (const rank_t r : t.near) out.notify(r);
}

/// The same for members on other hosts: they are sent what lies at `at`.
[[gnu::cold]] void replicate_to_hosts(team_record& t, const void* at, std::size_t bytes);
/// The same for a flat line whose readers all are on other hosts, behind the one-way calls that are open for them.
void replicate_with_one_way_calls(team_record& t, const flag_line& line, std::size_t bytes);
/// Sends what this rank has entered to the members on other hosts.
[[gnu::cold]] void tell_entered(const team_record& t);
/// Asks world rank `r`, a member on another host, to send what it has entered, whatever it does now.
[[gnu::cold]] void ask_entered(const team_record& t, rank_t r);
std::vector<rank_t> host_leaders_of(const host_map& host, rank_t me, const std::vector<rank_t>& members);

/// All members may wait for `line`, of whose payload `bytes` bytes count.
inline void post_line(team_record& t, const flag_line& line, std::size_t bytes) {
  notify_members(t);
  if (!t.host_leaders.empty()) [[unlikely]]
    replicate_to_hosts(t, &line, sizeof line.step + align_up(bytes, 8));
}

/// A flat line that a slow member still has to read may not be overwritten: waits until all have come to `step`.
void make_room(team_record& t, std::uint64_t step, const char* what);

/// Whether the line of the next step is free already. At a step the line of `step - flat_lines` goes; a member that has come to
/// the one after that has finished with it.
inline bool has_room(const team_record& t) noexcept { return t.step + 1 - t.known < team_slot::flat_lines; }

/// Begins the next flat step: its line and its short board are free. Returns the step. A member that has to wait waits for half
/// of the lines: what has been shown up to here needs nothing more of it, and where ranks share a core each wait is a switch.
inline std::uint64_t begin_flat(team_record& t, const char* what) {
  const std::uint64_t step = ++t.step;
  if (step - t.known >= team_slot::flat_lines) [[unlikely]]
    make_room(t, step - team_slot::flat_lines / 2, what);
  return step;
}

/// Writes the flat line of `step`.
inline flag_line& write_line(team_record& t, std::uint64_t step, const void* value, std::size_t bytes) {
  flag_line& line = t.mine[step % team_slot::flat_lines];
  if (bytes != 0) std::memcpy(line.payload, value, bytes);
  line.step.store(t.sign | step, std::memory_order_release);  // pairs with the acquire in await_step
  return line;
}

/// Writes the flat line of the next step, and returns that. `post_line` tells those that may wait for it.
inline std::uint64_t write_flat(team_record& t, const void* value, std::size_t bytes, const char* what) {
  const std::uint64_t step = begin_flat(t, what);
  write_line(t, step, value, bytes);
  return step;
}

/// Begins a flat operation: shows `bytes` bytes at `value` to all members. Returns the step.
/// Budget: one test, the copy, one store, one load a member.
inline std::uint64_t post(team_record& t, const void* value, std::size_t bytes, const char* what) {
  const std::uint64_t step = write_flat(t, value, bytes, what);
  post_line(t, t.mine[step % team_slot::flat_lines], bytes);
  return step;
}

/// Waits for what member `i` shows at `step`.
inline const std::byte* await_post(team_record& t, std::uint32_t i, std::uint64_t step, const char* what) {
  const flag_line& line = t.slots[i]->flat[step % team_slot::flat_lines];
  await_step(t, line.step, step, what);
  return line.payload;
}

// ---- boards: flat operations of up to board_layout::board_bytes ----

inline constexpr std::size_t most_on_board = board_layout::board_bytes;
/// From this many other hosts on it costs too much to show each member's board to all.
inline constexpr std::size_t few_hosts = 4;

/// Where the `bytes` bytes that member `i` shows at `step` lie.
inline std::byte* board_of(const team_record& t, std::uint32_t i, std::uint64_t step, std::size_t bytes) noexcept {
  return t.boards + std::size_t(t.members[i]) * board_layout::stride + board_layout::on_board(step, bytes);
}

/// Shows `bytes` bytes at `data` to all members on the board, and how many they are in the line. More than the board holds: only
/// how many. Returns the step.
inline std::uint64_t post_on_board(team_record& t, const void* data, std::uint64_t bytes, const char* what) {
  const std::uint64_t step = begin_flat(t, what);
  const std::size_t shown = bytes <= most_on_board ? std::size_t(bytes) : 0;
  if (shown > board_layout::short_board_bytes && step - t.known >= board_layout::long_boards)
    make_room(t, step - board_layout::long_boards + 1, what);
  std::byte* const board = board_of(t, t.rank, step, shown);
  if (shown != 0) std::memcpy(board, data, shown);
  if (shown != 0 && !t.host_leaders.empty()) [[unlikely]]
    replicate_to_hosts(t, board, align_up(shown, 8));
  post_line(t, write_line(t, step, &bytes, sizeof bytes), sizeof bytes);
  return step;
}

/// Waits for what member `i` shows at `step`: how many bytes. They lie in `board_of` unless they are too many.
inline std::uint64_t await_size(team_record& t, std::uint32_t i, std::uint64_t step, const char* what) {
  std::uint64_t bytes;
  std::memcpy(&bytes, await_post(t, i, step, what), sizeof bytes);
  return bytes;
}

/// The same where all members show `bytes` bytes, which the board holds.
inline const std::byte* await_board(team_record& t, std::uint32_t i, std::uint64_t step, std::size_t bytes, const char* what) {
  await_post(t, i, step, what);
  return board_of(t, i, step, bytes);
}

// ---- entering a collective ----

inline constexpr const char* empty_team =
    "the team is empty: it was default constructed or moved from, or this rank gave split a negative color; call it on a team "
    "that this rank is in";
/// "team::reduce with root 1 of 8 bytes (float64)".
std::string describe(const intention& i);
[[noreturn, gnu::cold]] void throw_cannot_enter(const team_record* t, collective kind);
/// In place of `enters` of all other teams while this rank may repeat a collective whose arguments it has refused.
extern const context_head may_retry;
/// Where one test does not allow it: may this rank enter a collective of `t` all the same? Throws if not.
[[gnu::cold]] void require_entry_slowly(const team_record* t, collective kind);
/// This rank refuses the arguments of a collective, and has not entered it: it may call again. If it enters one of another team
/// before, the members that wait for it hear that it has left. Members that refuse as often take no notice.
[[gnu::cold]] void note_refusal(const team_record* t, const intention& what) noexcept;
/// Throws usage_error in what the fence counts as a part of a body: function instances, and fibers that bodies left behind.
void refuse_parts_of_bodies(const context& c, const char* operation);
[[noreturn, gnu::cold]] void throw_bad_root(const team_record& t, collective kind, rank_t root);
/// Compares with all members; throws if one does something else. See collective_check.cpp.
[[gnu::cold]] void check_entry(team_record& t, const intention& what);
/// Whether world rank `r`, a member, is known to have entered something else where this rank has entered its present collective,
/// or to have left one before.
[[gnu::cold]] bool does_otherwise(const team_record& t, rank_t r);
/// Whether `r` has left a collective of this team by an exception: its part of later ones never comes.
[[gnu::cold]] bool has_left(const team_record& t, rank_t r) noexcept;
/// Rank `r` has entered another collective, this time or before; `word` is what it has shown, with its sign, or 0.
[[noreturn, gnu::cold]] void throw_does_otherwise(const team_record& t, rank_t r, std::uint64_t word);
/// An exception takes this member out of the middle of a collective: the others, who wait for its part, hear of it. What moved
/// in the team's slot may have stopped in the middle, so the slot is settled before another team has it.
[[gnu::cold]] void leave_collective(const team_record& t) noexcept;

/// Around the part of a collective that other members wait for.
class collective_part {
 public:
  explicit collective_part(const team_record& t) noexcept : t_(t), exceptions_(std::uncaught_exceptions()) {}
  ~collective_part() {
    if (!over_ && std::uncaught_exceptions() > exceptions_) [[unlikely]]
      leave_collective(t_);
  }
  collective_part(const collective_part&) = delete;
  void end() noexcept { over_ = true; }

 private:
  const team_record& t_;
  const int exceptions_;  ///< under way before
  bool over_ = false;
};

/// The rank's own code and all fibers may enter collectives, bodies on the stack of the loop may not: whether such a body is a
/// fiber by now depends on what it has waited for. A body with `fiber_depth` counts as one from its beginning.
inline bool may_enter(const context_head& c) noexcept {
  return c.body_depth == 0 || c.fibers->running().fiber_depth == c.body_depth;
}

/// May this rank enter a collective now?
inline context_head& require_entry(const team_record* t, collective kind, rank_t root = 0) {
  context_head* const c = current_head;
  if (c == nullptr || t == nullptr || t->enters != c || t->inside != nullptr || !may_enter(*c)) [[unlikely]]
    require_entry_slowly(t, kind);
  if (std::uint32_t(root) >= t->size) [[unlikely]]
    throw_bad_root(*t, kind, root);
  return *c;
}

/// Adds `what` to what this rank has entered, and returns its past with that. Three stores to lines that others read only before
/// they sleep.
inline std::uint64_t note_entry(team_record& t, const intention& what) {
  const std::uint64_t past = t.past + mark_in_past(what, t.type_shift);
  t.past = past_behind(past);
  ++t.number;
  if (++t.entered_at == intention_line::kept) t.entered_at = 0;
  t.entered->what[t.entered_at].store(what.word(), std::memory_order_release);
  t.entered->number.store(t.number, std::memory_order_release);  // pairs with the acquire in entered_as
  return past;
}

/// From here on what this rank shows is a part of `what`. Where a job checks, all members meet and compare.
inline void sign_on(team_record& t, const intention& what) {
  t.sign = sign_of(what.kind, note_entry(t, what));  // all that follows waits for this, but not for the next line
  if (t.checking) [[unlikely]]
    check_entry(t, intention(what));  // of a copy: else it would have to be in memory, and nothing of it a constant
}

/// Stands at the beginning of each collective: may this rank enter it now? What is open to be sent goes out.
inline context_head& enter(team_record* t, const intention& what) {
  context_head& c = require_entry(t, what.kind, what.root);
  if (c.out->observed()) [[unlikely]] {
    c.out->count_call();
    require_entry(t, what.kind, what.root);  // another fiber may have come in meanwhile
  }
  c.out->flush();
  sign_on(*t, what);
  return c;
}

}  // namespace armilla::detail
