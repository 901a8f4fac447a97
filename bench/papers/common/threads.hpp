// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

/// Threads for the baselines that are written with them.
namespace papers {

/// A barrier of `n` threads that spin, and after a while leave the core to whoever needs it.
class thread_barrier {
 public:
  explicit thread_barrier(int n) : n_(n) {}
  void wait() {
    const unsigned round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == n_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return;
    }
    for (int looks = 0; round_.load(std::memory_order_acquire) == round; ++looks)
      if (looks < 10'000)
        __builtin_ia32_pause();
      else
        sched_yield();
  }

 private:
  const int n_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<unsigned> round_{0};
};

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

/// Runs f(0) .. f(n - 1), each on a thread of its own, anywhere: made by a pinned thread they would all begin on its core, and
/// short work ends before the kernel spreads them.
template <class F>
void on_threads(int n, F&& f) {
  const unpinned threads_everywhere;
  std::vector<std::thread> all;
  for (int t = 0; t < n; ++t) all.emplace_back([&f, t] { f(t); });
  for (std::thread& t : all) t.join();
}

}  // namespace papers
