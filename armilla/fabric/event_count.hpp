// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "armilla/boot/host/control_block.hpp"
#include "armilla/fabric/notify.hpp"
#include "armilla/stats/counters.hpp"

/// How a rank waits: it spins while an answer is likely, then lets others run, then sleeps.
///
/// Sleeping and waking pair up without a fence on the sender's side. The sender writes its message and then reads
/// `sleeping`; the sleeper writes `sleeping`, makes every running core of the job's processes pass a barrier
/// (`membarrier`), and then looks at everything it waits for once more. Either the sender's read comes after the barrier
/// and sees the flag, or its message came before it and the sleeper's last look sees that. Where the kernel refuses
/// `membarrier` the sleeper only ever sleeps for a millisecond.
///
/// A rank that sleeps beside a network that has a descriptor sleeps in `ppoll` instead of at a futex, and is woken by a signal,
/// which is blocked everywhere else: one that comes before the sleep ends it at once.
// Model: tests/models/order/losses.rs
namespace armilla::detail {

class crowding;

class event_count {
 public:
  event_count(control_block& mine, counters& count, bool oversubscribed, std::uint64_t spin_ns, std::uint64_t yield_ns);
  /// Of a thread that sleeps after the first look that finds nothing.
  static event_count without_spinning(control_block& mine, counters& count);

  /// State of one wait.
  struct backoff {
    std::uint32_t tries = 0;
    std::uint64_t began_ns = 0;
  };
  enum class step { again, sleep };

  /// After a look that found nothing. `again`: look again. `sleep`: it is time to sleep, by prepare_wait, look, then sleep or
  /// cancel_wait.
  step idle(backoff& s) noexcept {
    if (++s.tries < quick_tries_) [[likely]]
      return step::again;
    return idle_slowly(s);
  }

  /// Instead of a sleep, for a wait whose end wakes no rank: begins to spin anew, and first gives the core to others where
  /// strangers use it.
  void stay_awake(backoff& s) noexcept;
  void prepare_wait(attention how = asleep) noexcept;  ///< from here on a sender wakes this rank, or interrupts it
  /// The same for a sleep that only `wake` ends, or its time: what others write meanwhile is found after it. It disturbs no core.
  void prepare_nap() noexcept { mine_.sleeping.store(asleep, std::memory_order_seq_cst); }
  void cancel_wait() noexcept;  ///< the last look found something
  /// Whether this is the last look before a sleep.
  bool wait_prepared() const noexcept { return mine_.sleeping.load(std::memory_order_relaxed) != awake; }
  /// After a look that found nothing: since when that is so, for reports.
  void note_look(backoff& s) noexcept;
  /// Before a sleep: what for, a name, for those that look at this rank from outside; null: nothing that has one.
  void show_wait(const char* what) noexcept;
  /// What can end a wait besides its deadline.
  enum class ended_by : std::uint8_t { anything, ranks };
  /// Sleeps until woken, but not beyond `deadline_ns` (0: none). Returns at spurious wake-ups, too.
  /// Shows the job how long this rank has found nothing, and whether only ranks of the job can end that, by its memory.
  /// `descriptor`: what also ends it, when it becomes readable; -1: nothing.
  void sleep(const backoff& s, std::uint64_t deadline_ns, ended_by by, int descriptor = -1) noexcept;
  /// Around a wait with a deadline that is one of several, of one that began at `since_ns`, and since which nothing has come;
  /// 0: it is not. Such a deadline ends nothing.
  class nap {
   public:
    nap(event_count& who, std::uint64_t since_ns) noexcept : who_(since_ns == 0 ? nullptr : &who) {
      if (who_ == nullptr) return;
      ++who.naps_;
      who.napping_since_ = std::max(who.napping_since_, since_ns);
    }
    ~nap() {
      if (who_ != nullptr && --who_->naps_ == 0) who_->napping_since_ = 0;
    }
    nap(const nap&) = delete;

   private:
    event_count* const who_;
  };
  /// Fibers of this rank that nap.
  std::size_t naps() const noexcept { return naps_; }

  /// What a rank does for the supervisor of the job, and for attached clients, on its own thread, in a wait.
  struct reporter {
    void (*answer)(void* rank) = nullptr;  ///< writes down what it waits for
    /// A rank that looks after itself, and perhaps others, has waited for as long as a stall takes, since `began_ns`. Returns
    /// when it wants to be asked again, in nanoseconds from now.
    std::uint64_t (*stalled)(void* rank, std::uint64_t began_ns) = nullptr;
    /// A rank under a launcher has waited for ranks of the job: reports which of them take in no messages. Called twice in such
    /// a wait, after half of the time and at its end (`again`).
    void (*look_for_silent)(void* rank, bool again) = nullptr;
    void* rank = nullptr;
  };
  void set_reporter(const reporter& who) noexcept { reporter_ = who; }
  /// Behind a look of a wait: what it waits for is written down if that was asked.
  void answer_if_asked() noexcept {
    if (mine_.asked.load(std::memory_order_acquire) != mine_.answered.load(std::memory_order_relaxed)) [[unlikely]]
      answer();
  }
  /// A wait looks at `count` now and then: while it differs from what was heard, the rank does not sleep.
  void watch_losses(const std::atomic<std::uint32_t>& count) noexcept { losses_ = &count; }
  bool losses_to_hear() const noexcept { return losses_ != nullptr && losses_->load(std::memory_order_relaxed) != losses_heard_; }
  /// There is more to hear, for which this rank is not ready yet: it does not sleep meanwhile.
  void hear_losses_again() noexcept { --losses_heard_; }
  /// From now on only further losses count. Pairs with the release behind which their records are complete.
  void hear_losses() noexcept { losses_heard_ = losses_->load(std::memory_order_acquire); }
  /// The rank takes in what attached clients of the job ask of it, and what other threads of its process post: while there is
  /// something, it does not sleep. False: it no longer does.
  void watch_clients(bool on) noexcept { watches_clients_ = on; }
  bool called_by_client() const noexcept { return mine_.called.load(std::memory_order_relaxed) != 0 && watches_clients_; }
  /// Ranks that outnumber their cores sleep at once while that is quicker; null: they yield first.
  void watch_crowd(crowding* host) noexcept { crowd_ = host; }
  /// The rank has no supervisor, or one that does not see all: it looks after itself. Times as ARMILLA_STALL and
  /// ARMILLA_WAIT_REPORT, and after which others are silent. 0: never.
  void watch_alone(std::uint64_t stall_ns, std::uint64_t report_ns, std::uint64_t silent_ns) noexcept {
    stall_ns_ = stall_ns;
    report_ns_ = report_ns;
    silent_ns_ = silent_ns;
  }
  /// From now on something outside of the job may end this rank's waits (+1), or no longer (-1): a stall is then none.
  void expect_outside(int change) noexcept { outside_ += change; }

 private:
  step idle_slowly(backoff& s) noexcept;
  [[gnu::cold]] void answer() noexcept;
  std::uint64_t watch_myself(std::uint64_t began_ns, ended_by by) noexcept;
  void sleep_at(int descriptor, const struct timespec* until) noexcept;

  control_block& mine_;
  counters& count_;
  std::uint32_t quick_tries_;  // looks before the clock is read: from there on spin_ns_ counts
  std::uint64_t spin_ns_;
  std::uint64_t yield_ns_;
  bool asymmetric_;  // membarrier works
  std::uint16_t naps_ = 0;
  int outside_ = 0;
  std::uint64_t napping_since_ = 0;
  const std::atomic<std::uint32_t>* losses_ = nullptr;
  std::uint32_t losses_heard_ = 0;
  bool watches_clients_ = false;
  crowding* crowd_ = nullptr;
  reporter reporter_;
  std::uint64_t stall_ns_ = 0, report_ns_ = 0, silent_ns_ = 0;  // of a rank that looks after itself
  std::uint64_t reported_ = 0;                                  // began_ns of the wait that has been reported
  std::uint64_t looking_ = 0, looks_ = 0;                       // of the wait in which it looks for silent ranks; how often
};

static_assert(std::is_standard_layout_v<control_block> && offsetof(control_block, sleeping) == 0, "notify reads its first word");

}  // namespace armilla::detail
