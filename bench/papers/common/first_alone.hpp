// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sched.h>

#include <armilla/armilla.hpp>

namespace papers {

/// While one lives, this thread, and those that it makes, may run on every core: ranks are pinned.
class unpinned {
 public:
  unpinned() {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) CPU_SET(cpu, &all);
    sched_setaffinity(0, sizeof all, &all);  // the kernel takes away what the process may not use
  }
  ~unpinned() { sched_setaffinity(0, sizeof before_, &before_); }
  unpinned(const unpinned&) = delete;
  unpinned& operator=(const unpinned&) = delete;

 private:
  cpu_set_t before_;
};

/// Runs `f`, a baseline made of threads, on rank 0; the other ranks sleep meanwhile. Collective.
template <class F>
void first_alone(F&& f) {
  if (armilla::rank() == 0) {
    const unpinned threads_everywhere;
    f();
  }
  armilla::barrier();
}

}  // namespace papers
