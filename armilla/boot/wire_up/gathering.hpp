// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/base/values/types.hpp"

/// How the ranks of several hosts agree which of them are left: by armilla-run, which outlives all of them. It hears of every
/// loss from the agents, in an order of its own, and what it decides is the same for all.
///
/// In a *gathering* each rank gives a part. It is over when all its members have given theirs, except those that are lost. All
/// that gave one get the same answer: which ranks these were, and their parts.
///
/// A rank that came into the running job *seeks* a team. A gathering that is to grow names such ranks in its answer, which no
/// other gathering names until the next step of its row is over: in that the new ranks give their parts, too. So a rank comes
/// into one team, and is in it on all members or on none.
namespace armilla::detail {

/// Which row of gatherings: their steps rise.
struct gathering_row {
  enum class kind : std::uint32_t { survivors, living, end, meeting };
  kind what = kind::survivors;
  std::uint64_t id = 0;  ///< of the team; of the last fences: which of them; of a meeting: its point
  auto operator<=>(const gathering_row&) const = default;
};

/// Between a rank and armilla-run. Behind it `runs` times the first and the last of ranks in a row, and then parts.
struct gathering_head {
  enum class word : std::uint32_t {
    ask,          ///< the members, and this rank's part
    ask_unended,  ///< the same; members at the end of a later function than `stage` are not waited for
    ask_grown,    ///< the same; the answer ends with ranks that seek a team
    passed,       ///< this rank is past all gatherings of the row up to `step`: they are over
    ended,        ///< `stage`: at the end of which of its functions this rank is; 0: of none
    gives_up,     ///< the program has asked a team for its survivors: the row of living ranks is over
    suspect,      ///< the host of these ranks is silent: they are lost from now on, and armilla-run fences them off
    answer,       ///< to the ranks that gave a part: which these are, and their parts
    over,         ///< to a rank: nothing is decided; `stage` 1: as one has passed, 0: others have gone on, or given up
    asked,        ///< to all: a rank has asked, `step`
    here,         ///< a process asks to come in for this rank: new_rank.hpp, and the next words
    hand_over,    ///< from a rank, which it names, to the one that comes as rank `id`: `hand_over_counts`
    address,      ///< from that one: its address in the network
    enters,       ///< from it: it begins life `step`
    closes,       ///< this rank is about to end: none comes any more
    closed,       ///< to all, and to one that asks then: none comes any more
    seeks,        ///< this rank waits to be taken into a team; and its part
    no_team       ///< to one that seeks: no rank is left that could take it in; `stage` 1: some have ended their functions
  };
  word what = word::ask;
  gathering_row::kind row = gathering_row::kind::survivors;
  std::uint64_t id = 0, step = 0;
  std::uint64_t stage = 0;                 ///< how many functions and sessions this rank has ended
  std::uint32_t runs = 0, part_bytes = 0;  ///< bytes of one part
  /// Members whose present life has a greater number are others than those that are meant: they are not waited for.
  std::uint64_t newest_life = any_life;
  static constexpr std::uint64_t any_life = ~std::uint64_t{0};
};
static_assert(sizeof(gathering_head) == 48);

/// What a rank that lives says to one that comes and does not share its memory, as elsewhere the heads of the rings between them
/// (new_rank.hpp).
struct hand_over_counts {
  std::uint64_t place;        ///< rank_life::word, while it comes
  std::uint64_t sent, taken;  ///< lines, by the rank that says so
};

/// How ranks are written: mostly many in a row.
struct rank_run {
  rank_t first, last;
};

/// One such message, taken apart.
struct gathering_message {
  gathering_head head;
  std::vector<rank_run> runs;
  std::string_view parts;  ///< in the text

  std::vector<rank_t> ranks() const;
  bool names(rank_t r) const;
  gathering_row row() const noexcept { return {head.row, head.id}; }
  /// Nothing, if the text is no message. `highest`: above all ranks.
  static std::optional<gathering_message> from(std::string_view text, rank_t highest);
};
std::string gathering_text(gathering_head head, std::span<const rank_t> ranks, std::string_view parts);

/// What came of a gathering.
struct gathered {
  bool over = false;    ///< nothing is decided
  bool passed = false;  ///< since one has passed
  std::vector<rank_t> ranks;
  std::string parts;  ///< by rank, each as long

  template <class T>
  T part(std::size_t i) const {
    T one;
    parts.copy(reinterpret_cast<char*>(&one), sizeof one, i * sizeof one);
    return one;
  }
};

/// A rank's side, over the line to its agent (agent_line.hpp).
class gatherings {
 public:
  gatherings(int line, rank_t ranks) noexcept : line_(line), ranks_(ranks) {}

  /// Gives this rank's part, and forgets an answer that was not taken. `what`: `ask`, or one of the next two, which `stage` is
  /// for.
  void ask(const gathering_row& row, std::uint64_t step, std::span<const rank_t> members, std::string_view part,
           gathering_head::word what = gathering_head::word::ask, std::uint64_t stage = 0,
           std::uint64_t newest_life = gathering_head::any_life);
  /// Takes in what has come, without waiting. The answer to the last `ask` in that row, once; nothing until it is there.
  std::optional<gathered> take_answer(const gathering_row& row);
  /// The same, asleep until it is there. Throws `limit_error` if the agent has gone.
  gathered await_answer(const gathering_row& row);

  /// As the words of the same names.
  void tell_passed(const gathering_row& row, std::uint64_t step) { tell({gathering_head::word::passed, row.what, row.id, step}); }
  void tell_ended(std::uint64_t stage) { tell({.what = gathering_head::word::ended, .stage = stage}); }
  void give_up();
  /// This rank's next meeting is the last of the start: once all have come to it, no loss need end the job.
  void announce_last_meeting() const;
  /// Says that the host of these ranks is silent. Any thread may call it.
  void suspect(std::span<const rank_t> ranks) const;
  /// Takes in what has come, without waiting.
  void look();

  // ---- new ranks: new_rank.hpp ----

  void ask_to_come() { tell({.what = gathering_head::word::here}); }
  void hand_over(rank_t self, rank_t to, const hand_over_counts& counts) const;
  /// What rank `r` has handed over to this one last; null: nothing yet.
  const hand_over_counts* handed_over_by(rank_t r) const noexcept;
  void show_address(std::string_view address) const;
  void enter(std::uint32_t life) { tell({.what = gathering_head::word::enters, .step = life}); }
  /// Waits to be taken into a team, until this rank is in one or `no_team` says that there will be none.
  void seek(std::string_view part);
  struct nothing_to_join {
    bool some_ended;  ///< well: the work may be done
  };
  std::optional<nothing_to_join> no_team() const noexcept { return no_team_; }
  /// None comes any more; that is so as soon as `closed`.
  void close() { tell({.what = gathering_head::word::closes}); }
  bool closed() const noexcept { return closed_; }

  /// The highest step for which any rank has asked in that row.
  std::uint64_t asked(const gathering_row& row) const noexcept;
  bool given_up() const noexcept { return given_up_; }

 private:
  void tell(const gathering_head& head) const { send(gathering_text(head, {}, {})); }
  void send(const std::string& text) const;
  void take(std::string_view text);

  int line_;
  rank_t ranks_;
  std::string incoming_;
  std::map<gathering_row, std::uint64_t> asks_;  // this rank, and has no answer yet
  std::map<gathering_row, gathered> answers_;
  std::map<gathering_row, std::uint64_t> asked_;
  std::map<rank_t, hand_over_counts> handed_over_;
  bool given_up_ = false, gone_ = false, closed_ = false;
  std::optional<nothing_to_join> no_team_;
};

}  // namespace armilla::detail
