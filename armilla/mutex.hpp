// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/core/check.hpp"
#include "armilla/fiber/wait_list.hpp"
#include "armilla/stats/counters.hpp"

namespace armilla {
namespace detail {

struct lock_access;  // for reports

}

/// A lock that one fiber of a rank holds at a time.
///
/// Between two waits a fiber has the rank to itself anyway. So use a mutex only for a section in which the fiber waits. It is for
/// fibers of one rank; each rank needs its own (`per_rank<mutex>` for a static one). It works with `std::lock_guard`,
/// `std::unique_lock` and `std::scoped_lock`.
///
///     am::mutex m;
///     {
///       const std::lock_guard lock(m);
///       am::sleep_for(1ms);                    // other fibers run, but none gets m
///     }
///
/// Fibers that wait get it in the order in which they came; `unlock` hands it over, so none overtakes. Cost: about 2 ns to lock
/// and unlock when it is free, no allocation; one switch for each fiber that must wait. Statistics count it as `locks` and
/// `contended_locks`.
///
/// Paper: MRPC, section 5 (the price of thread synchronization); CC++ (atomic functions are made of it).
class mutex {
 public:
  constexpr mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  ~mutex() {
    if (detail::checked && owner_ != nullptr && detail::current != nullptr) [[unlikely]]
      detail::destroyed_in_use("mutex::~mutex");
  }

  /// Waits until the mutex is free, and takes it. Other fibers run meanwhile. Throws `usage_error` if the calling fiber holds it
  /// already.
  void lock() {
    detail::context_head& self = detail::head_here("mutex::lock");
    ++self.count->locks;
    if (owner_ != nullptr) [[unlikely]]
      return lock_slowly(self);
    owner_ = &self.fibers->running();
  }
  /// Takes the mutex if it is free, and returns whether it was.
  bool try_lock() {
    detail::context_head& self = detail::head_here("mutex::try_lock");
    if (owner_ != nullptr) return false;
    ++self.count->locks;
    owner_ = &self.fibers->running();
    return true;
  }
  /// Hands the mutex to the fiber that has waited longest, which runs when its turn comes. Throws `usage_error` if the calling
  /// fiber does not hold it.
  void unlock() {
    if (owner_ != &detail::scheduler_here("mutex::unlock").running()) [[unlikely]]
      throw_not_owner();
    if (!waiting_.empty()) [[unlikely]]
      return hand_over();
    owner_ = nullptr;
  }

  /// Returns whether a fiber holds the mutex.
  bool is_locked() const noexcept { return owner_ != nullptr; }

 private:
  friend struct detail::lock_access;
  [[gnu::noinline]] void lock_slowly(detail::context_head& self);
  [[gnu::noinline]] void hand_over();
  [[noreturn, gnu::cold]] void throw_not_owner() const;

  detail::fiber_record* owner_ = nullptr;
  detail::wait_list waiting_;
};

}  // namespace armilla
