// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>
#include <vector>

#include "bench/papers/common/threads.hpp"
#include "bench/papers/water/worker.hpp"

/// Water by threads that share the molecules: each computes its pairs for itself, then adds what it found to the sums of the
/// molecules, under a lock for each. As SPLASH describes it.
namespace water {

// parallel
struct locked_sum {
  std::mutex lock;
  triple force{};
};

class threads_with_locks {
 public:
  threads_with_locks(const box& x, int n) : sums_(std::size_t(x.molecules)), meet_(n) {
    for (int t = 0; t < n; ++t) workers_.emplace_back(x, n, t);
  }
  worker& of(int t) { return workers_[std::size_t(t)]; }
  void meet() { meet_.wait(); }

  /// All threads call it.
  void step(int t) {
    worker& w = of(t);
    w.mine().predict();
    meet_.wait();
    w.see_own();
    w.add_pairs_with(w.own(), [] {});
    for (const auto& [who, what] : w.sources()) {
      w.view().put(what.first,
                   of(who).mine().places().subspan(std::size_t(what.first - w.of(who).first), std::size_t(what.count())));
      w.add_pairs_with(what, [] {});
      add(w, what);
    }
    add(w, w.own());
    meet_.wait();
    for (int m = w.own().first; m < w.own().last; ++m) {
      w.take_forces(m, &sums_[std::size_t(m)].force, 1);
      sums_[std::size_t(m)].force = triple{};
    }
    w.mine().correct();
  }

 private:
  void add(const worker& w, const range& what) {
    for (int m = what.first; m < what.last; ++m) {
      triple f;
      w.forces_on({m, m + 1}, &f);
      locked_sum& sum = sums_[std::size_t(m)];
      const std::lock_guard alone(sum.lock);
      for (std::size_t c = 0; c < f.size(); ++c) sum.force[c] += f[c];
    }
  }

  std::vector<worker> workers_;
  std::vector<locked_sum> sums_;
  papers::thread_barrier meet_;
};
// end of parallel

}  // namespace water
