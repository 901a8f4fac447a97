// SPDX-License-Identifier: Apache-2.0
#pragma once
// A child that its parent lets go on one instruction at a time, between marks.
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>

namespace watched {

constexpr int not_allowed = 77;  // exit code: the system does not let a process be watched

// Stops the child, if it is watched.
[[gnu::always_inline]] inline void mark() { asm volatile("int3" ::: "memory"); }

// In the child, first of all. One rank: what is counted depends on no other.
inline void begin_child() {
  setenv("ARMILLA_RANKS", "1", 1);
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  raise(SIGSTOP);
}

// Whether the child can be watched; it has stopped then.
inline bool stopped(pid_t child) {
  int status = 0;
  return waitpid(child, &status, 0) >= 0 && WIFSTOPPED(status);
}

inline bool to_next_mark(pid_t child) {
  for (int deliver = 0;;) {
    int status = 0;
    if (ptrace(PTRACE_CONT, child, nullptr, deliver) != 0 || waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status)) return false;
    if (WSTOPSIG(status) == SIGTRAP) return true;
    deliver = WSTOPSIG(status);
  }
}

// Calls `each()` behind each instruction up to the next mark. False: the child has ended.
template <class F>
bool step_to_mark(pid_t child, F&& each) {
  for (;;) {
    int status = 0;
    if (ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) != 0 || waitpid(child, &status, 0) < 0 || !WIFSTOPPED(status))
      return false;
    siginfo_t why{};
    ptrace(PTRACE_GETSIGINFO, child, nullptr, &why);
    if (WSTOPSIG(status) == SIGTRAP && why.si_code == SI_KERNEL) return true;
    each();
  }
}

inline void let_go(pid_t child) {
  int status = 0;
  ptrace(PTRACE_CONT, child, nullptr, nullptr);
  waitpid(child, &status, 0);
}

}  // namespace watched
