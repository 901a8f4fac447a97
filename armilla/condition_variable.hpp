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

/// Lets fibers of one rank wait until another one notifies them that something has changed.
///
/// It works with anything that can lock and unlock: a `mutex`, or a `std::unique_lock` of one. If nothing waits between the test
/// and the wait, no lock is needed: use `wait_unlocked`.
///
///     am::condition_variable changed;
///     bool done = false;
///     am::fiber<void> f = am::spawn([&] { changed.wait_unlocked([&] { return done; }); });
///     done = true;
///     changed.notify_all();
///     f.join();
///
/// Notified fibers continue in the order in which they came. None wakes spuriously, but the condition may have changed again
/// before a fiber's turn comes: give `wait` the condition. Cost: no allocation; one switch for each wait.
class condition_variable {
 public:
  constexpr condition_variable() noexcept = default;
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;
  ~condition_variable() {
    if (detail::checked && !waiting_.empty() && detail::current != nullptr) [[unlikely]]
      detail::destroyed_in_use("condition_variable::~condition_variable");
  }

  /// Unlocks, waits to be notified, and locks again, also when an exception ends the wait.
  template <detail::lockable L>
  void wait(L& lock) {
    detail::refuse_in_parallel_region("condition_variable::wait");  // while it is still locked
    const unlocked meanwhile(lock);
    wait_notified();
  }
  /// Waits until `holds()` returns true. It is called with the lock held.
  template <detail::lockable L, std::predicate P>
  void wait(L& lock, P holds) {
    while (!holds()) wait(lock);
  }
  /// Waits to be notified for at most `span`, and returns whether it was.
  template <detail::lockable L, detail::time_span Duration>
  bool wait_for(L& lock, Duration span) {
    detail::refuse_in_parallel_region("condition_variable::wait_for");
    const unlocked meanwhile(lock);
    return wait_notified_until(detail::deadline_after(span));
  }
  /// Waits until `holds()` for at most `span`, and returns what `holds()` returns at the end.
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
  /// Waits until `holds()` returns true, without a lock: between the test and the wait no other fiber runs.
  template <std::predicate P>
  void wait_unlocked(P holds) {
    while (!holds()) wait_notified();
  }

  /// Wakes the fiber that has waited longest.
  void notify_one() {
    if (!waiting_.empty()) waiting_.wake_one();
  }
  /// Wakes all fibers that wait.
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
