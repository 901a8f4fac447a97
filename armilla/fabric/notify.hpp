// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>

// Model: tests/models/order/sleep.rs
namespace armilla::detail {

struct control_block;                                      // boot/host/control_block.hpp
[[gnu::cold]] void wake(control_block& sleeper) noexcept;  // boot/host/control_block.cpp

/// After something was written that the owner of `peer` may be waiting for: whether it is to be woken. One load of a line that
/// rarely changes.
inline bool is_asleep(const control_block& peer) noexcept {
  // The compiler must not move the load before the write it follows; the sleeper's membarrier does the rest.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const auto& sleeping = reinterpret_cast<const std::atomic<std::uint32_t>&>(peer);  // its first word
  return sleeping.load(std::memory_order_relaxed) != 0;
}

/// The same, and wakes it. True if it had to be woken.
inline bool notify(control_block& peer) noexcept {
  if (!is_asleep(peer)) [[likely]]
    return false;
  wake(peer);
  return true;
}

}  // namespace armilla::detail
