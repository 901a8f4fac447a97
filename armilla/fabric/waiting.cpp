// SPDX-License-Identifier: Apache-2.0
#include "armilla/fabric/waiting.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "armilla/base/clock.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t bounded_sleep_ns = 1'000'000;

bool register_for_barriers() noexcept {
  static const bool done = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
  return done;
}

}  // namespace

// An oversubscribed rank holds the core that its peer needs: it yields after a few looks.
waiting::waiting(control_block& mine, counters& count, bool oversubscribed, std::uint64_t spin_ns, std::uint64_t yield_ns)
    : mine_(mine),
      count_(count),
      quick_tries_(oversubscribed ? 16 : 400),
      spin_ns_(oversubscribed ? 0 : spin_ns),
      yield_ns_(yield_ns),
      asymmetric_(register_for_barriers()) {}

waiting::step waiting::idle_slowly(spell& s) noexcept {
  if (s.began_ns == 0) s.began_ns = now_ns();
  const std::uint64_t waited = now_ns() - s.began_ns;
  if (waited < spin_ns_) {
    for (int i = 0; i < 4; ++i) spin_pause();
    return step::again;
  }
  if (waited < spin_ns_ + yield_ns_) {
    ++count_.yields;
    sched_yield();
    return step::again;
  }
  return step::sleep;
}

void waiting::announce(attention how) noexcept {
  mine_.sleeping.store(how, std::memory_order_seq_cst);
  // Should it ever be refused, this sleep and all later ones are bounded.
  if (asymmetric_ && syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0) != 0) asymmetric_ = false;
}

void waiting::cancel() noexcept { mine_.sleeping.store(awake, std::memory_order_relaxed); }

void waiting::sleep(std::uint64_t deadline_ns) noexcept {
  ++count_.sleeps;
  std::uint64_t limit = asymmetric_ ? ~std::uint64_t(0) : bounded_sleep_ns;
  if (deadline_ns != 0) {
    const std::uint64_t now = now_ns();
    if (now >= deadline_ns) return cancel();
    if (deadline_ns - now < limit) limit = deadline_ns - now;
  }
  const timespec span{time_t(limit / 1'000'000'000), long(limit % 1'000'000'000)};
  const timespec* until = limit == ~std::uint64_t(0) ? nullptr : &span;
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&mine_.sleeping), FUTEX_WAIT, 1, until, nullptr, 0);
  cancel();
}

void wake(control_block& sleeper) noexcept {
  // exchange: of several senders one makes the system call
  const std::uint32_t was = sleeper.sleeping.exchange(awake, std::memory_order_seq_cst);
  if (was == asleep) syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&sleeper.sleeping), FUTEX_WAKE, 1, nullptr, nullptr, 0);
  if (was == interruptible)
    syscall(SYS_tgkill, sleeper.process.load(std::memory_order_relaxed), sleeper.thread.load(std::memory_order_relaxed),
            SIGRTMIN + attention_signal_offset);
}

}  // namespace armilla::detail
