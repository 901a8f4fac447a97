// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/global_ptr.hpp"

// Model: tests/models/order/counters.rs
namespace armilla {

/// A counter of arrivals: one rank waits for it, and any rank adds to it.
///
/// Use it to notify a rank that its data have arrived, without a barrier. Ranks add by `p.signal()`, or by a `put` or `store`
/// that names the counter, after their data.
///
///     static am::per_rank<am::counter> arrived;
///     am::put(q, value, arrived.on(1));            // on rank 0
///     arrived.local().wait(1);                     // on rank 1: the value has arrived
///
/// **A counter does not know which ranks have signaled.** `wait(2)` for the data of two neighbors also returns when one of them
/// is a step ahead and has signaled twice; then the other's data may be missing. If sources may run ahead of each other, use one
/// counter for each source (`source_counters`), or one for each step in turn, with a barrier between its uses.
///
/// **Where.** A counter may be anywhere: in a `per_rank`, in the segment (`create_global<counter>()`), or a variable
/// (`to_global(&c)`). It has 128 bytes.
///
/// **Cost.** Signals to a variable of another process are messages. The first rank that signals a counter is faster than the
/// others, which need a locked instruction: another reason for a counter for each source.
///
/// Paper: Split-C's store_sync.
class counter {
 public:
  counter() = default;
  counter(const counter&) = delete;
  counter& operator=(const counter&) = delete;

  /// Waits until `n` signals have arrived that no wait has taken, and takes them. Only on the rank that owns the counter.
  ///
  /// The rank receives calls meanwhile. It then sees what the signaling ranks wrote before: see `global_ptr::signal`.
  /// `usage_error` in a called function that must not wait (`to_completion`, `safe`), and for a negative `n`.
  void wait(std::uint64_t n = 1);
  /// Takes `n` signals if as many have arrived, and returns whether they had. It does not wait, and receives no messages.
  bool try_wait(std::uint64_t n = 1) noexcept;
  /// Returns the number of signals that no wait has taken yet.
  std::uint64_t value() const noexcept { return arrived_.value() - taken_; }

 private:
  friend void detail::signal_counter(const global_ptr<counter>& c, std::uint64_t n);

  /// A line that ranks write and the one that waits only reads. Two sums: the first rank that signals has one for itself, and
  /// adds to it by a plain store, which waits for nothing; a locked addition would wait until the data before it have left the
  /// core.
  struct alignas(64) arrivals {
    std::uint64_t shared = 0;   ///< first member: signals by message go to the address of the counter
    std::uint64_t alone = 0;    ///< of the rank that `claimed` names
    std::uint64_t claimed = 0;  ///< its number + 1; 0: no rank has signalled

    std::uint64_t value() const noexcept {
      return __atomic_load_n(&shared, __ATOMIC_ACQUIRE) + __atomic_load_n(&alone, __ATOMIC_ACQUIRE);
    }
  };
  arrivals arrived_;
  alignas(64) std::uint64_t taken_ = 0;  ///< a line that only the owner touches
};

}  // namespace armilla
