// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/base/core/context.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/boot/host/control_block.hpp"

namespace armilla::detail {

/// What ranks that look after their job say to each other, over the network that carries its messages.
struct watch_word {
  enum kind : std::uint64_t {
    quiet,    ///< to the first rank: on this host all ranks have waited for long for what only ranks can do
    confirm,  ///< to the others: is that still so?
    still,    ///< to the first rank: what is so now; `mark` is 0 if something has happened
    tell,     ///< to the others: the job stands still; send what the ranks of your host wait for
    text,     ///< to the first rank: a piece of that; `round` pieces follow
    report    ///< to the others: print what the ranks of your host wait for
  };
  std::uint64_t what, round;
  std::uint64_t mark;         ///< changes whenever a rank of the host does something
  std::uint64_t sent, taken;  ///< frames over the network, of all ranks of the host
};

/// Finds out whether a job stands still whose messages are not all in one memory: those of a network cannot be seen, and a
/// launcher's job has nobody else to look at it. The first rank of each host looks at the waits of its host's ranks; the first
/// rank of the job hears of the others and decides.
///
/// A host is *quiet* if all its ranks show closed waits (stall_detector.hpp) that are older than ARMILLA_STALL. When all hosts
/// have said so, the first rank asks each of them once more. Between what a host said first and what it says then it did
/// nothing if both marks are the same, so there was a moment at which no host did anything: that at which the first rank asked.
/// If the frames sent up to then are as many as those taken in, none was under way. So no rank will ever do anything again. When
/// all have given the lines in which they wait, they are asked once more: something outside of the job may have ended a wait.
///
/// What goes between these ranks is no event for them: it ends no wait, begins none anew, and is not in the sums.
/// What went to lost ranks, and came from them, is in no sum.
class stall_search {
 public:
  explicit stall_search(context& self) : self_(self) {}

  /// On a rank that has waited since `began_ns` for what only ranks can do, for as long as a stall takes. Returns when to call
  /// it again, in nanoseconds. Ends the process if the job stands still.
  std::uint64_t step(std::uint64_t began_ns);
  void heard(rank_t from, const watch_word& word, std::string_view text);
  /// The first ranks of the other hosts print what the ranks of theirs wait for.
  void let_others_report();

 private:
  struct host_state {
    std::uint64_t mark = 0, sent = 0, taken = 0;  ///< mark 0: it is not quiet
  };
  /// Of another host.
  struct other_host {
    rank_t leader = no_rank;
    host_state quiet, still;
    std::uint64_t heard_ns = 0, confirmed = 0;  ///< confirmed: the last round
    std::string text;
    bool told = false;
  };
  enum class phase { calm, confirming, telling, confirming_again };

  void find_hosts();
  std::uint64_t lead(std::uint64_t began_ns);
  std::uint64_t follow(std::uint64_t began_ns);
  bool confirmed(std::uint64_t began_ns);
  void begin_round(phase p);
  host_state look(std::uint64_t began_ns) const;
  host_state look_once(std::uint64_t began_ns) const;
  void send(rank_t to, const watch_word& word, std::string_view text = {});
  void send_text(rank_t to);
  [[noreturn]] void end_job();

  context& self_;
  bool found_ = false;
  rank_t leader_ = no_rank, first_ = no_rank;  // of this host, of the job
  std::vector<other_host> others_;
  phase phase_ = phase::calm;
  std::uint64_t round_ = 0;
  std::uint64_t until_ns_ = 0, next_ns_ = 0;
  host_state mine_;
  std::string text_;  ///< what the ranks of this host wait for, when it was told
  // Of the first rank of another host.
  std::uint64_t told_mark_ = 0, told_ns_ = 0;
  std::uint64_t asked_round_ = 0;
  bool tell_ = false;  // as soon as there are lines, or `tell_by_ns_` is over
  std::uint64_t tell_by_ns_ = 0;
  bool asked_by_other_ = false;
};

/// All ranks of this host write down what they wait for, and print nothing. By `ask` or ask_with_lines.
void ask_ranks_of_host(context& self, void (*by)(control_block&) noexcept);
/// Whether all those that can have done so.
bool have_ranks_of_host_answered(const context& self);
/// Whether all that have answered have given the lines for which they were asked.
bool have_ranks_of_host_given_lines(const context& self);
/// What they have written, or what can be seen of them, one behind the other, in lines.
std::string waits_of_host(const context& self);

}  // namespace armilla::detail
