// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/global/global_ptr.hpp"

namespace armilla {

/// Counts arrivals: a rank waits for it, and any rank's signalling `put` or `store` adds to it after its data.
///
///     static am::per_rank<am::counter> arrived;
///     am::put(q, value, arrived.on(1));            // on rank 0
///     arrived.local().wait(1);                     // on rank 1: value is there
///
/// It may lie anywhere: in a per_rank, in the segment (make_global<counter>()), or be a variable (to_global(&c)); signals
/// to a variable of another process go by message. Paper: Split-C's store_sync.
class counter {
 public:
  counter() = default;
  counter(const counter&) = delete;
  counter& operator=(const counter&) = delete;

  /// Waits until `n` have arrived since the last wait, and takes them off. Answers calls meanwhile; an error in a body.
  /// What the signalling ranks wrote before their signals can be read afterwards. Only on the rank where the counter lies.
  void wait(std::uint64_t n = 1);
  /// The same without waiting: takes `n` off if so many have arrived. Takes in no messages.
  bool try_wait(std::uint64_t n = 1) noexcept;
  /// Arrivals that nobody has waited for yet.
  std::uint64_t value() const noexcept { return __atomic_load_n(&arrived_, __ATOMIC_ACQUIRE) - taken_; }

 private:
  std::uint64_t arrived_ = 0;  // first member: signals go to the address of the counter
  std::uint64_t taken_ = 0;
};

/// Adds `n` to a counter on any rank, after everything that this rank wrote, put or sent there before, and wakes its rank.
/// On mapped memory one atomic addition. May be called in a body. Errors: as `*p`.
void signal_counter(const global_ptr<counter>& c, std::uint64_t n = 1);

}  // namespace armilla
