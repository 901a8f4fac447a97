// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/boot/host/control_block.hpp"

namespace armilla::detail {

inline constexpr int stall_exit_code = 70;

/// Prints on stderr, in one piece, the headline and what each rank has written down last, or what can be seen of it from outside.
/// `before`: the answers of all ranks at an earlier time, for those that have gone on, or ended, before they gave lines.
void say_waits(job_block& job, const std::string& headline, const std::vector<std::string>& before = {}) noexcept;
/// What `waits_of` says of each rank.
std::vector<std::string> answers_of(job_block& job, std::uint64_t now_ns);

/// Whether it has written down what it waits for since it was asked last.
bool has_answered(const control_block& rank) noexcept;
/// Whether what it has written has the lines, or nobody has asked for them.
bool has_given_lines(const control_block& rank) noexcept;
/// So long a report waits for the lines of ranks that have answered: to find them takes 100 to 400 ms of a core, of which a
/// crowded host gives few.
inline constexpr std::uint64_t lines_within_ns = 5'000'000'000;
/// What the rank has written down last, or what can be seen of it from outside, in lines; the first names it.
std::string waits_of(job_block& job, rank_t r, std::uint64_t now_ns);
/// What can be seen of it from outside, in a line.
std::string seen_of(job_block& job, rank_t r, std::uint64_t now_ns);

/// What a rank of run_main waits for while it serves the others: the end of the function, however long that takes.
inline constexpr const char* serving_wait = "run_main: serving until its function returns";

/// "armilla: nothing can come any more: ...".
std::string stall_headline(std::uint64_t stall_ns);

// ---- ranks that take in no messages, while another one waits for ranks of the job ----

/// For so long: 15 times ARMILLA_STALL; 0: never.
std::uint64_t silence_after(std::uint64_t stall_ns) noexcept;
/// Changes while rank `r` of this host looks for messages, or sleeps in a wait.
std::uint64_t signs_of_life(job_block& job, rank_t r) noexcept;
/// Whether it runs, and does not sleep in a wait.
bool may_be_silent(job_block& job, rank_t r) noexcept;
std::string silence_headline(const std::vector<rank_t>& silent, std::uint64_t stall_ns);

/// Watches the job for its supervisor: tells on request what the ranks wait for, and whether anything can still happen.
///
/// A wait is *closed* if only ranks of this job can end it. A rank that sleeps shows since when it has found nothing to do, and
/// whether all its waits are closed. When all ranks show that for the time ARMILLA_STALL, they are asked: each looks at
/// everything once more, writes down what it waits for, and sleeps again. If then all show the same time as before, no rank has
/// done anything between the latest of these times and now, so no message is on its way, and no rank will ever do anything again.
/// They are asked for the lines in which they wait. What is outside of the job may end a wait meanwhile, by a thread that calls
/// `post`: a rank that shows another time then drops the report.
///
/// A rank that has not looked for messages for 15 times as long, while another one waits for ranks in a closed wait, is reported
/// once, and the job goes on: it may compute, or hang outside of the library. Ranks that serve in run_main do not wait for it.
///
/// What is no stall, whatever it looks like:
/// - a rank that computes, sleeps by other means than the library's, or reads its input, however long: it shows no time;
/// - a fiber in sleep_for or a wait with a deadline: open waits, for its rank wakes by itself;
/// - a job that an attached client calls: the attached client may end any wait;
/// - a job with a place for a rank that joins: that may, too;
/// - a progress thread that works, also one that has not rested yet: it shows no time;
/// - ranks that serve while one does any of these (run_main): that one shows no time;
/// - a rank that was woken but has not got its core yet, or was stopped by a debugger meanwhile: it does not answer;
/// - a rank that starts: it shows no time. One that has come to the end and waits there for the others does: a closed wait;
/// - a rank that spins in poll(), or has a backlog of frames to send: it never sleeps;
/// - what the program has announced by `outside_event`: such a rank's waits are open.
class stall_detector {
 public:
  stall_detector(job_block& job, std::uint64_t stall_ns, std::uint64_t report_ns) noexcept;

  /// Lets all ranks write down what they wait for, to be printed soon.
  void ask_for_report();
  /// Looks at the job if it is time to. True: it stands still, and that has been said.
  bool look();
  /// When to look again: in milliseconds from now, -1: only when asked.
  int patience_ms() const;

 private:
  enum class phase { idle, reporting, suspecting, stalled };

  void begin(phase p);
  void look_for_waits(std::uint64_t now);
  bool waits_for_ranks(std::uint32_t r, std::uint64_t latest_ns);
  std::vector<rank_t> find_silent(std::uint64_t now);
  bool finish(std::uint64_t now);
  bool all_answered() const;
  bool all_lines_given() const;
  bool has_moved() const;
  bool all_closed_since(std::uint64_t latest_ns);

  job_block& job_;
  std::uint64_t stall_ns_, report_ns_;
  std::uint64_t every_ns_;     // looks at the job
  std::uint64_t next_ns_ = 0;  // look
  std::uint64_t asked_ns_ = 0;
  std::uint64_t latest_ns_ = 0;  // since then nothing must have happened
  std::uint64_t until_ns_ = 0;   // answers are awaited, and behind them lines for lines_within_ns
  phase phase_ = phase::idle;
  std::string headline_;
  std::vector<std::string> answers_;   // of all ranks, while their lines are awaited
  std::vector<std::uint64_t> before_;  // what the ranks showed when a stall was suspected
  std::vector<std::uint64_t> now_;
  std::vector<std::uint64_t> reported_;  // since when they waited when that was reported
  struct sign_of_life {
    std::uint64_t sum = 0, since_ns = 0;
    std::uint32_t life = 0;  // of its place
    bool told = false;
  };
  std::vector<sign_of_life> seen_;  // what a rank that looks for messages changes
};

}  // namespace armilla::detail
