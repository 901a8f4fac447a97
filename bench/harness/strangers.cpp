// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/strangers.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

strangers::strangers(int count) {
  for (int i = 0; i < count; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      for (;;) asm volatile("");
    }
    if (child > 0) children_.push_back(child);
  }
}

strangers::~strangers() {
  for (const pid_t child : children_) ::kill(child, SIGKILL);
  for (const pid_t child : children_) ::waitpid(child, nullptr, 0);
}

}  // namespace bench
