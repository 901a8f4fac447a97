// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/global_ptr.hpp"

// Model: tests/models/order/counters.rs
namespace armilla {

/// Counts arrivals: a rank waits for it, and any rank adds to it, by `p.signal()`, or by a `put` or `store` after its data.
///
///     static am::per_rank<am::counter> arrived;
///     am::put(q, value, arrived.on(1));            // on rank 0
///     arrived.local().wait(1);                     // on rank 1: value is there
///
/// **It counts, and does not know which ranks have signalled.** `wait(2)` for the data of two neighbours returns as well when one
/// of them is a turn ahead and has signalled twice: then the other's data may be missing. Where sources may run ahead of each
/// other, take one counter for each of them (`source_counters`), or one for each turn, by turns, with a meeting between its uses.
///
/// It may lie anywhere: in a per_rank, in the segment (create_global<counter>()), or be a variable (to_global(&c)); signals
/// to a variable of another process go by message. 128 bytes. The first rank that signals a counter is quicker than others,
/// which need a locked instruction: another reason for a counter a source.
/// Paper: Split-C's store_sync.
class counter {
 public:
  counter() = default;
  counter(const counter&) = delete;
  counter& operator=(const counter&) = delete;

  /// Waits until `n` have arrived since the last wait, and takes them off. Answers calls meanwhile; an error in a body that
  /// never waits (`to_completion`, `safe`), and for an `n` that was negative.
  /// What the signalling ranks wrote before their signals can be read afterwards: see global_ptr::signal. Only on the rank where
  /// the counter lies.
  void wait(std::uint64_t n = 1);
  /// The same without waiting: takes `n` off if so many have arrived. Takes in no messages.
  bool try_wait(std::uint64_t n = 1) noexcept;
  /// Arrivals that no `wait` has taken off yet.
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
