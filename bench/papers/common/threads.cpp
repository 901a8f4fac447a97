// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/common/threads.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace papers {
namespace {

cpu_set_t where(pid_t thread) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  sched_getaffinity(thread, sizeof cores, &cores);
  return cores;
}

void put(pid_t thread, int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(thread, sizeof one, &one);
}

/// This thread may run on every core.
cpu_set_t widen() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int core = 0; core < CPU_SETSIZE; ++core) CPU_SET(core, &all);
  sched_setaffinity(0, sizeof all, &all);  // the kernel takes away what the process may not use
  return where(0);
}

}  // namespace

int cores() {
  static const int count = [] {
    const cpu_set_t before = where(0), all = widen();
    sched_setaffinity(0, sizeof before, &before);
    return CPU_COUNT(&all);
  }();
  return count;
}

seats::seats(int threads) : count_(threads), before_(where(0)) {
  const cpu_set_t all = widen();
  const bool pinned = CPU_COUNT(&before_) < CPU_COUNT(&all);
  if (!pinned || CPU_COUNT(&all) < threads) return;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &all)) cores_.push_back(core);
}

seats::~seats() { sched_setaffinity(0, sizeof before_, &before_); }

void seats::take(int thread) const {
  if (!cores_.empty()) put(0, cores_[std::size_t(thread)]);
}

bool seats::place_others() const {
  if (cores_.empty()) return true;  // all run anywhere
  std::size_t next = 1;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto thread = pid_t(std::atoi(entry.path().filename().c_str()));
    const cpu_set_t now = where(thread);
    if (thread == gettid() || CPU_COUNT(&now) < int(cores_.size())) continue;
    if (next < std::size_t(count_)) put(thread, cores_[next++]);
  }
  return next >= std::size_t(count_);
}

}  // namespace papers
