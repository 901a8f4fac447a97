// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <mutex>

namespace armilla::detail {

/// A lock for two threads of which one, the owner, takes it all the time and the other seldom. While the lock is biased to its
/// owner, the owner pays for two stores and a load. The other thread ends the bias by a system call (`membarrier`, a few us),
/// and then both use a mutex, until the owner has taken it some times in a row. Without `membarrier` it is a mutex.
class biased_lock {
 public:
  biased_lock() noexcept;

  void lock_as_owner() noexcept {
    inside_.store(true, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the other's membarrier does the rest
    if (shared_.load(std::memory_order_acquire)) [[unlikely]]
      lock_shared();
  }
  void unlock_as_owner() noexcept {
    if (inside_.load(std::memory_order_relaxed)) [[likely]]
      inside_.store(false, std::memory_order_release);
    else
      mutex_.unlock();
  }

  void lock() noexcept;
  void unlock() noexcept { mutex_.unlock(); }

  bool is_biased() const noexcept { return !shared_.load(std::memory_order_relaxed); }

 private:
  void lock_shared() noexcept;

  std::atomic<bool> inside_ = false;  ///< the owner has it without the mutex
  std::atomic<bool> shared_;          ///< both use the mutex; changes while that is held
  std::atomic<bool> wanted_ = false;  ///< the other thread waits for the mutex
  bool can_be_biased_;                ///< membarrier works
  int in_a_row_ = 0;                  ///< how often the owner had the mutex since the other did
  std::mutex mutex_;
};

}  // namespace armilla::detail
