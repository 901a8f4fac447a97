// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/fabric/host_map.hpp"
#include "armilla/stats/counters.hpp"

/// How a rank waits: it spins while an answer is likely, then lets others run, then sleeps.
///
/// Sleeping and waking pair up without a fence on the sender's side. The sender writes its message and then reads
/// `sleeping`; the sleeper writes `sleeping`, makes every running core of the job's processes pass a barrier
/// (`membarrier`), and then looks at everything it waits for once more. Either the sender's read comes after the barrier
/// and sees the flag, or its message came before it and the sleeper's last look sees that. Where the kernel refuses
/// `membarrier` the sleeper only ever sleeps for a millisecond.
namespace armilla::detail {

inline void spin_pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

class waiting {
 public:
  waiting(control_block& mine, counters& count, bool oversubscribed, std::uint64_t spin_ns, std::uint64_t yield_ns);

  /// State of one wait.
  struct spell {
    std::uint32_t tries = 0;
    std::uint64_t began_ns = 0;
  };
  enum class step { again, sleep };

  /// After a look that found nothing. `again`: look again. `sleep`: it is time to sleep, by announce, look, then sleep or cancel.
  step idle(spell& s) noexcept {
    if (++s.tries < quick_tries_) [[likely]]
      return step::again;
    return idle_slowly(s);
  }

  void announce(attention how = asleep) noexcept;  ///< from here on a sender wakes this rank, or interrupts it
  void cancel() noexcept;                          ///< the last look found something
  /// Sleeps until woken, but not beyond `deadline_ns` (0: none). Returns at spurious wake-ups, too.
  void sleep(std::uint64_t deadline_ns) noexcept;

 private:
  step idle_slowly(spell& s) noexcept;

  control_block& mine_;
  counters& count_;
  std::uint32_t quick_tries_;
  std::uint64_t spin_ns_;
  std::uint64_t yield_ns_;
  bool asymmetric_;  // membarrier works
};

[[gnu::cold]] void wake(control_block& sleeper) noexcept;

/// After something was written that the owner of `peer` may be waiting for. One load of a line that rarely changes.
/// True if the peer had to be woken.
inline bool notify(control_block& peer) noexcept {
  // The compiler must not move the load before the write it follows; the sleeper's membarrier does the rest.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (peer.sleeping.load(std::memory_order_relaxed) == 0) [[likely]]
    return false;
  wake(peer);
  return true;
}

}  // namespace armilla::detail
