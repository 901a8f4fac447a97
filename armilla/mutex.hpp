// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/core/check.hpp"
#include "armilla/fiber/wait_list.hpp"
#include "armilla/stats/counters.hpp"

namespace armilla {
namespace detail {

struct lock_access;  // for reports

}

/// Lets one fiber of a rank at a time through. For fibers of one rank only; each rank needs its own (`per_rank<mutex>` for a
/// static). Works with std::lock_guard, std::unique_lock, std::scoped_lock.
///
/// Between two waits a fiber has the rank to itself anyway: a mutex is for a section in which it waits. Those that wait get it
/// in the order in which they came; `unlock` hands it over, so none overtakes. Cost: some 2 ns to lock and unlock when it is
/// free, no allocation ever; one switch for each that must wait. Counted as `locks` and `contended_locks`.
/// Paper: MRPC, section 5 (the price of thread synchronisation); CC++ (atomic functions are made of it).
class mutex {
 public:
  constexpr mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;
  ~mutex() {
    if (detail::checked && owner_ != nullptr && detail::current != nullptr) [[unlikely]]
      detail::destroyed_in_use("mutex::~mutex");
  }

  /// Waits until it is free; other fibers run meanwhile. Errors: usage_error if the calling fiber holds it already.
  void lock() {
    detail::context_head& self = detail::head_here("mutex::lock");
    ++self.count->locks;
    if (owner_ != nullptr) [[unlikely]]
      return lock_slowly(self);
    owner_ = &self.fibers->running();
  }
  /// Whether it was free, and is the caller's now.
  bool try_lock() {
    detail::context_head& self = detail::head_here("mutex::try_lock");
    if (owner_ != nullptr) return false;
    ++self.count->locks;
    owner_ = &self.fibers->running();
    return true;
  }
  /// Hands it to the one that waits longest, which runs when its turn comes. Errors: usage_error if the calling fiber does not
  /// hold it.
  void unlock() {
    if (owner_ != &detail::scheduler_here("mutex::unlock").running()) [[unlikely]]
      throw_not_owner();
    if (!waiting_.empty()) [[unlikely]]
      return hand_over();
    owner_ = nullptr;
  }

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
