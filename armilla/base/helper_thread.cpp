// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/helper_thread.hpp"

#include <pthread.h>
#include <signal.h>

#include <utility>

#include "armilla/base/error.hpp"

namespace armilla::detail {

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

std::string no_thread_text(const char* name, const std::system_error& why) {
  return std::string("the system does not start the thread \"") + name + "\" (" + why.code().message() +
         "); let the container's filter allow the system call clone3, or refuse it with ENOSYS, or raise the limits of processes "
         "(ulimit -u, pids.max)";
}

}  // namespace armilla::detail
