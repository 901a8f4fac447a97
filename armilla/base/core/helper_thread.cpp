// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/core/helper_thread.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

/// As the kernel has it: C libraries declare it late.
struct scheduling {
  std::uint32_t size;
  std::uint32_t policy;
  std::uint64_t flags;
  std::int32_t nice;
  std::uint32_t priority;
  std::uint64_t runtime;  // of the usual policy: the slice, ns
  std::uint64_t deadline;
  std::uint64_t period;
};
constexpr std::uint64_t reset_on_fork = 1;
constexpr std::uint64_t shortest_slice_ns = 100'000;
constexpr unsigned long timer_slack_ns = 1000;

}  // namespace

std::thread start_helper_thread(const char* name, std::function<void()> run) {
  // What is blocked here is blocked there from its first instruction on.
  struct all_blocked {
    sigset_t before;
    all_blocked() {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~all_blocked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  };
  const all_blocked now;
  try {
    return std::thread([name, run = std::move(run)] {
      pthread_setname_np(pthread_self(), name);
      run();
    });
  } catch (const std::system_error& why) { throw_limit("start", no_thread_text(name, why)); }
}

// Where both want the core, the kernel prefers the one whose slice ends first. A kernel before 6.12 takes no heed of a slice.
void take_short_turns() noexcept {
  prctl(PR_SET_TIMERSLACK, timer_slack_ns, 0, 0, 0);
  scheduling mine{};
  if (syscall(SYS_sched_getattr, 0, &mine, sizeof mine, 0) != 0 || mine.policy != SCHED_OTHER) return;
  mine.size = sizeof mine;
  mine.flags = reset_on_fork;
  mine.runtime = shortest_slice_ns;
  syscall(SYS_sched_setattr, 0, &mine, 0);
}

std::string no_thread_text(const char* name, const std::system_error& why) {
  return std::string("the system does not start the thread \"") + name + "\" (" + why.code().message() +
         "); let the container's filter allow the system call clone3, or refuse it with ENOSYS, or raise the limits of processes "
         "(ulimit -u, pids.max)";
}

}  // namespace armilla::detail
