// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "bench/grain/task.hpp"

namespace bench::grain {

/// Searches for the minimum effective task granularity of a row. Its `size` is the number of columns of a rank, its `iterations`
/// the number of steps of a run.
class metg_search {
 public:
  metg_search(const row_context& c, const task_graph& g) : c_(c), g_(g) {}

  /// Returns the time of a task, in ns, at the least length of the kernel with which the ranks do half of the work that they do
  /// without a graph. `run(steps, count)` runs this rank's tasks.
  template <class Run>
  double find(Run&& run) {
    run_once(run, 1);  // a warm-up
    const double peak = time([] { keep(compute(kernel_sample)); }) / double(kernel_sample);
    const auto task_time = [&](long length) {
      return time([&] { run_once(run, length); }) * double(c_.ranks) / double(c_.iterations * g_.width());
    };
    long few = 0, many = 16;
    double best = task_time(many);
    while (double(many) * peak < best / 2) {
      verify(many < longest, "tasks of a millisecond do not reach half of the peak");
      few = many;
      best = task_time(many *= 2);
    }
    for (int k = 0; k < halvings; ++k) {
      const long middle = (few + many) / 2;
      const double t = task_time(middle);
      if (double(middle) * peak < t / 2)
        few = middle;
      else
        many = middle, best = t;
    }
    verify_counts();
    return best;
  }

 private:
  static constexpr long kernel_sample = 200'000;
  static constexpr int halvings = 6;
  static constexpr long longest = 1'000'000;

  template <class Run>
  void run_once(Run& run, long length) {
    const steps s{next_step_, next_step_ + c_.iterations, length};
    next_step_ = s.last;
    run(s, done_);
  }

  void verify_counts() const {
    long inputs = 0;
    for (long step = 1; step < next_step_; ++step)
      if ((step - 1) % c_.iterations != 0)  // not the first of a run
        for (int column = g_.begin(c_.rank); column < g_.end(c_.rank); ++column) inputs += long(g_.inputs(step, column).size());
    verify(done_.tasks == (next_step_ - 1) * g_.columns() && done_.inputs == inputs, "number of tasks, or of their inputs");
  }

  /// The median of three times of `f` on all ranks, the same on all, so that all search alike.
  template <class F>
  double time(F&& f) {
    std::array<double, 3> times;
    for (double& t : times) {
      c_.sync();
      const std::uint64_t start = now_ns();
      f();
      c_.sync();
      t = double(now_ns() - start);
    }
    std::sort(times.begin(), times.end());
    double* const agreed = c_.scratch<double>();
    if (c_.rank == 0) *agreed = times[1];
    c_.sync();
    return *agreed;  // which rank 0 changes after the next meeting only
  }

  const row_context& c_;
  const task_graph& g_;
  long next_step_ = 1;
  task_count done_;
};

}  // namespace bench::grain
