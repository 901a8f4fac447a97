// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "armilla/base/values/clock.hpp"
#include "armilla/fiber/scheduler.hpp"

namespace armilla::detail {

/// What waits at an object: a fiber, or a coroutine. It lies in the frame of the one that waits, not in its record,
/// because a timer may put the record into the queue of those that can go on while it still stands here.
struct waiter {
  fiber_record* fiber = nullptr;
  void* coroutine = nullptr;  ///< if there is no fiber: goes on with a fiber of its own when it is woken
  bool counted = false;       ///< what the coroutine does is caused by a body
  bool woken = false;         ///< it has what it waited for, and stands in no list any more
  std::uint32_t wants = 0;    ///< the object's own
  void* place = nullptr;      ///< likewise
  waiter* next = nullptr;
};

/// A fiber from the pool goes on with a coroutine. Cost: one switch more than a fiber that goes on.
void resume_coroutine(void* coroutine, bool counted);

/// The waiters at one object, in the order in which they came.
class wait_list {
 public:
  constexpr wait_list() noexcept = default;
  bool empty() const noexcept { return first_ == nullptr; }
  waiter* front() const noexcept { return first_; }

  void push(waiter& w) noexcept {
    w.next = nullptr;
    w.woken = false;
    (first_ == nullptr ? first_ : last_->next) = &w;
    last_ = &w;
  }
  /// Takes the first out and wakes it. Only if there is one.
  void wake_one() {
    waiter& w = *first_;
    first_ = w.next;
    w.woken = true;
    ++current_head->count->signals;
    if (w.fiber != nullptr) [[likely]]
      current_head->fibers->wake(*w.fiber);
    else
      resume_coroutine(w.coroutine, w.counted);
  }
  void wake_all() {
    while (!empty()) wake_one();
  }
  /// Takes out one that gives up. Cost: the length.
  void remove(waiter& w) noexcept;

  /// The running fiber stands in line until it is woken. It leaves the line if an exception ends its wait. The caller has
  /// passed `scheduler::before_wait` and has looked once more since.
  void wait(waiter& w, const char* what, wait_object on);
  /// The same until `deadline_ns` (of now_ns()) at most; whether it was woken.
  bool wait_until(waiter& w, std::uint64_t deadline_ns, const char* what, wait_object on);

 private:
  waiter* first_ = nullptr;
  waiter* last_ = nullptr;
};

/// Ends the process: `object` goes while fibers wait at it, or hold it. In checked builds only.
[[gnu::cold]] void destroyed_in_use(const char* object) noexcept;

}  // namespace armilla::detail
