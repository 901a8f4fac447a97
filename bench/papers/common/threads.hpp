// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sched.h>

#include <atomic>
#include <thread>
#include <vector>

/// Threads for the baselines that are written with them.
namespace papers {

/// How many cores this process may use.
int cores();

/// A barrier of `n` threads that spin, and after a while leave the core to others: soon where cores are fewer.
class thread_barrier {
 public:
  explicit thread_barrier(int n) : n_(n), looks_(n <= cores() ? 10'000 : 16) {}
  void wait() {
    const unsigned round = round_.load(std::memory_order_acquire);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == n_) {
      arrived_.store(0, std::memory_order_relaxed);
      round_.store(round + 1, std::memory_order_release);
      return;
    }
    for (int looks = 0; round_.load(std::memory_order_acquire) == round; ++looks)
      if (looks < looks_)
        __builtin_ia32_pause();
      else
        sched_yield();
  }

 private:
  const int n_, looks_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<unsigned> round_{0};
};

/// The cores of a baseline's threads. Where ranks are pinned, threads are, too, a core each: begun by a pinned thread all would
/// begin on its core, and short work ends before the kernel spreads them. Where ranks run anywhere, or cores are fewer, so do
/// they. While one lives, the thread that made it, and those that this one makes, may run on every core.
class seats {
 public:
  explicit seats(int threads);
  ~seats();
  seats(const seats&) = delete;
  seats& operator=(const seats&) = delete;

  int count() const noexcept { return count_; }
  void take(int thread) const;  ///< this thread is number `thread` from now on
  /// The threads of this process that are not pinned, those of a library, become 1, 2, ... False if they are too few for all
  /// seats: what such a library then does is not the work of so many threads.
  bool place_others() const;

 private:
  int count_;
  cpu_set_t before_;
  std::vector<int> cores_;  ///< by thread; empty: anywhere
};

/// Runs f(0) .. f(n - 1), each on a thread of its own, as seats has it.
template <class F>
void on_threads(int n, F&& f) {
  const seats cores(n);
  std::vector<std::thread> all;
  for (int t = 0; t < n; ++t)
    all.emplace_back([&f, &cores, t] {
      cores.take(t);
      f(t);
    });
  for (std::thread& t : all) t.join();
}

}  // namespace papers
