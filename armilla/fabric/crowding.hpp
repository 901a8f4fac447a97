// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "armilla/boot/host/control_block.hpp"
#include "armilla/boot/host/crowd_record.hpp"

/// How ranks wait that outnumber the cores of their host, when these have other work to do as well.
///
/// Among themselves such ranks do best by `sched_yield`: a microsecond, and the rank that has what is waited for is on. Beside a
/// stranger a yield lasts until that has used up its slice, 4 ms, while a rank that sleeps and is woken takes the core at once.
/// But a sleep costs ten yields, and which is quicker beside strangers depends on the kernel's groups: those of another session
/// have slices of their own. So the host's ranks find out, together, whether strangers are there and what helps:
///
///     yields  --a yield lasts 1 ms-->  watched  --again, and others have had the cores-->  suspected  --so once more-->  tried
///     tried  --quicker by half-->  sleeps
///
/// and from there, now and then, by `tried` and `watched` once more: how many steps a second the ranks make in two neighbouring
/// periods, one of either kind, tells what is better at present, whatever the program does. A step is a wait, or 64 bytes of
/// messages taken in.
///
/// Strangers have had the cores if the host's ranks would have used more of their time than they have had. There is no lock: the
/// rank that moves `until` judges. A judge that dies, or is late, spoils one verdict; the next period corrects it.
namespace armilla::detail {

/// What a judge sees of the period that is over.
struct crowd_period {
  std::uint64_t steps = 0;         ///< that the host's ranks have made since the job began
  std::uint64_t processor_ns = 0;  ///< processor time that they have had
  std::uint64_t queued_ns = 0;     ///< that they have waited for a core, each by itself
  std::uint32_t ranks = 1;         ///< of the host
  std::uint32_t cores = 1;         ///< that they may use
};

/// The rules alone, without a clock: what is next, `now` being when the period ended. Called by the one that has moved `until`.
void judge_crowd(crowd_record& host, std::uint64_t now, const crowd_period& seen) noexcept;

inline constexpr std::uint64_t late_yield_ns = 1'000'000;         ///< ranks of the job have given the core back by then
inline constexpr std::uint64_t crowd_period_ns = 16'000'000;      ///< four slices of a stranger
inline constexpr std::uint64_t crowd_trial_ns = 48'000'000;       ///< the kernel makes up for the yields before that
inline constexpr std::uint64_t longest_crowd_ns = 1'024'000'000;  ///< without another look at what is better
/// Ranks for each core beyond which none judges: a look opens a file of each, and would take a core a good part of the period.
inline constexpr std::uint32_t judged_ranks_a_core = 64;

class crowding {
 public:
  /// `ranks`: the control blocks of the ranks of this host, `processes`: theirs, each once.
  crowding(crowd_record& host, std::vector<const control_block*> ranks, std::vector<pid_t> processes, std::uint32_t cores);

  /// Whether a rank that has found nothing shall sleep now, not yield.
  bool sleeps_at_once(std::uint64_t now) noexcept {
    const crowd_record::mode how = host_.now.load(std::memory_order_relaxed);
    if (how == crowd_record::mode::yields) [[likely]]
      return false;
    if (now >= host_.until.load(std::memory_order_relaxed)) [[unlikely]]
      return judge(now);
    return how >= crowd_record::mode::tried;
  }
  /// Lets others have the core, at `now`, and notes how long they kept it.
  void yield(std::uint64_t now) noexcept;

 private:
  [[gnu::cold]] void note_late(std::uint64_t now) noexcept;
  bool judge(std::uint64_t now) noexcept;
  crowd_period look() const noexcept;

  crowd_record& host_;
  std::vector<const control_block*> ranks_;
  std::vector<clockid_t> clocks_;
  std::uint32_t cores_;
};

}  // namespace armilla::detail
