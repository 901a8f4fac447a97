// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/helper_thread.hpp"

#include <pthread.h>
#include <signal.h>

#include <utility>

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
  return std::thread([name, run = std::move(run)] {
    pthread_setname_np(pthread_self(), name);
    run();
  });
}

}  // namespace armilla::detail
