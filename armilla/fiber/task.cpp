// SPDX-License-Identifier: Apache-2.0
#include "armilla/task.hpp"

#include "armilla/base/core/context.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

void task_state::begin(scheduler& all) noexcept {
  started_ = true;
  if (all.in_body_or_its_fibers()) {
    counted_ = true;
    all.count_one();
  }
}

void task_state::wait_for_end(scheduler& all, const char* what) {
  all.before_wait(what);
  if (done_) return;
  waiter me;
  waiting_.wait(me, what, wait_object(this));
}

// On whatever stack the coroutine ended; what this returns runs next there.
std::coroutine_handle<> task_state::end(std::coroutine_handle<> self) noexcept {
  done_ = true;
  if (counted_) current->fibers->uncount_one();
  if (abandoned_) {
    self.destroy();
    return std::noop_coroutine();
  }
  waiting_.wake_all();
  return awaiting_ != nullptr ? awaiting_ : std::noop_coroutine();
}

// Nothing has taken it out.
void task_state::lose_error() noexcept {
  if (current != nullptr && current->fibers != nullptr) current->fibers->lose_error(std::move(error_));
}

void throw_no_task(const char* operation) {
  throw_usage(
      operation,
      "there is no coroutine: the task was default constructed, moved from, or awaited before; await a task once, and call "
      "the coroutine again for another");
}

}  // namespace armilla::detail
