// SPDX-License-Identifier: Apache-2.0
#include "armilla/semaphore.hpp"

#include <string>

#include "armilla/condition_variable.hpp"
#include "armilla/error.hpp"

namespace armilla {

void detail::throw_negative_count(const char* operation, std::uint64_t count) {
  throw_usage(operation, "a count of " + std::to_string(count) + " was a negative number; give 0 or more");
}

void condition_variable::wait_notified() {
  detail::scheduler_here("condition_variable::wait");
  detail::waiter me;
  waiting_.wait(me, "condition_variable::wait", detail::wait_object(this));
}

bool condition_variable::wait_notified_until(std::uint64_t deadline_ns) {
  detail::scheduler_here("condition_variable::wait_for");
  detail::waiter me;
  return waiting_.wait_until(me, deadline_ns, "condition_variable::wait_for", detail::wait_object(this));
}

void semaphore::acquire_slowly() {
  detail::scheduler_here("semaphore::acquire").before_wait("semaphore::acquire");
  if (try_acquire()) return;
  detail::waiter me;
  waiting_.wait(me, "semaphore::acquire", detail::wait_object(this));
}

bool semaphore::acquire_until(std::uint64_t deadline_ns) {
  detail::scheduler_here("semaphore::try_acquire_for").before_wait("semaphore::try_acquire_for");
  if (try_acquire()) return true;
  detail::waiter me;
  return waiting_.wait_until(me, deadline_ns, "semaphore::try_acquire_for", detail::wait_object(this));
}

void latch::wait_slowly() const {
  detail::scheduler_here("latch::wait").before_wait("latch::wait");
  if (left_ == 0) return;
  detail::waiter me;
  waiting_.wait(me, "latch::wait", detail::wait_object(this));
}

void latch::throw_too_many(std::uint64_t n) const {
  detail::throw_usage("latch::count_down", "it is counted down by " + std::to_string(n) + " but only " + std::to_string(left_) +
                                               " are left; begin with as many as arrive");
}

}  // namespace armilla
