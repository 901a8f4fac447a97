// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstdint>

#include "armilla/base/core/check.hpp"
#include "armilla/fiber/wait_list.hpp"

namespace armilla {
namespace detail {

template <class L>
concept lockable = requires(L& lock) {
  lock.lock();
  lock.unlock();
};

}  // namespace detail

/// Fibers of one rank wait here until another says that something has changed. Works with whatever can lock and unlock: a
/// `mutex`, a std::unique_lock of one. Where nothing waits between looking and waiting, no lock is needed in the first place:
/// use `wait_unlocked`.
///
/// Notified fibers go on in the order in which they came. None wakes for nothing, but what was notified may have changed again
/// before a fiber's turn comes: give `wait` what to wait for. Cost: no allocation; one switch a wait.
class condition_variable {
 public:
  constexpr condition_variable() noexcept = default;
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;
  ~condition_variable() {
    if (detail::checked && !waiting_.empty() && detail::current != nullptr) [[unlikely]]
      detail::destroyed_in_use("condition_variable::~condition_variable");
  }

  /// Unlocks, waits to be notified, and locks again; also when an exception ends the wait.
  template <detail::lockable L>
  void wait(L& lock) {
    detail::refuse_in_parallel_region("condition_variable::wait");  // while it is still locked
    const unlocked meanwhile(lock);
    wait_notified();
  }
  /// The same until `holds()`, which is asked with the lock held.
  template <detail::lockable L, std::predicate P>
  void wait(L& lock, P holds) {
    while (!holds()) wait(lock);
  }
  /// For `span` at most; whether it was notified.
  template <detail::lockable L, detail::time_span Duration>
  bool wait_for(L& lock, Duration span) {
    detail::refuse_in_parallel_region("condition_variable::wait_for");
    const unlocked meanwhile(lock);
    return wait_notified_until(detail::deadline_after(span));
  }
  /// For `span` at most; what `holds()` is in the end.
  template <detail::lockable L, detail::time_span Duration, std::predicate P>
  bool wait_for(L& lock, Duration span, P holds) {
    const std::uint64_t deadline = detail::deadline_after(span);
    while (!holds()) {
      detail::refuse_in_parallel_region("condition_variable::wait_for");
      const unlocked meanwhile(lock);
      if (!wait_notified_until(deadline)) break;
    }
    return holds();
  }
  /// Waits until `holds()`, without a lock: between its look and its wait no other fiber runs.
  template <std::predicate P>
  void wait_unlocked(P holds) {
    while (!holds()) wait_notified();
  }

  void notify_one() {
    if (!waiting_.empty()) waiting_.wake_one();
  }
  void notify_all() { waiting_.wake_all(); }

 private:
  template <class L>
  struct unlocked {
    L& lock;
    explicit unlocked(L& l) : lock(l) { lock.unlock(); }
    ~unlocked() noexcept(false) { lock.lock(); }
    unlocked(const unlocked&) = delete;
    unlocked& operator=(const unlocked&) = delete;
  };

  void wait_notified();
  bool wait_notified_until(std::uint64_t deadline_ns);

  detail::wait_list waiting_;
};

}  // namespace armilla
