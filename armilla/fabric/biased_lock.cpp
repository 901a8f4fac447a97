// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/biased_lock.hpp"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "armilla/base/values/clock.hpp"

namespace armilla::detail {
namespace {

constexpr int in_a_row_for_bias = 64;
constexpr int most_yields = 100;  // of the owner, for the other thread
constexpr int looks_before_yields = 200;

bool register_this_process() noexcept {
  static const bool done = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
  return done;
}

// All threads of this process have done what is before it, as far as they have begun.
bool barrier_in_all_threads() noexcept { return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0; }

}  // namespace

biased_lock::biased_lock() noexcept
    : shared_(!register_this_process()), can_be_biased_(!shared_.load(std::memory_order_relaxed)) {}

// The owner would take the mutex again before a thread that it has woken can: it lets the other one pass, which comes seldom.
void biased_lock::lock_shared() noexcept {
  inside_.store(false, std::memory_order_release);
  for (int i = 0; wanted_.load(std::memory_order_relaxed) && i < most_yields; ++i) sched_yield();
  mutex_.lock();
  if (!can_be_biased_ || ++in_a_row_ < in_a_row_for_bias) return;
  inside_.store(true, std::memory_order_relaxed);
  shared_.store(false, std::memory_order_release);
  mutex_.unlock();
}

void biased_lock::lock() noexcept {
  if (!mutex_.try_lock()) {
    wanted_.store(true, std::memory_order_relaxed);
    mutex_.lock();
    wanted_.store(false, std::memory_order_relaxed);
  }
  in_a_row_ = 0;
  if (shared_.load(std::memory_order_relaxed)) return;
  shared_.store(true, std::memory_order_relaxed);
  if (!barrier_in_all_threads()) {  // should it ever be refused: no store of the owner takes a millisecond to arrive
    can_be_biased_ = false;
    ::usleep(1000);
  }
  for (int i = 0; inside_.load(std::memory_order_acquire); ++i)
    if (i < looks_before_yields)
      relax();
    else
      sched_yield();
}

}  // namespace armilla::detail
