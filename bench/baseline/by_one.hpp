// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "bench/harness/row.hpp"

namespace bench::hand {

/// Nanoseconds of `work(data)`, done by rank 0 alone, with the same data each time; `right(data)` checks it. The others sleep:
/// their cores are free.
template <class T, class Work, class Right>
double by_one(const row_context& c, std::vector<T> (*make)(std::size_t, std::size_t), Work work, Right right) {
  std::atomic_ref<long> done(*c.scratch<long>());
  if (c.rank == 0) done = 0;
  c.sync();
  double sum = 0;
  if (c.rank == 0) {
    const std::vector<T> keys = make(0, std::size_t(c.size));
    std::vector<T> data(keys.size());
    for (long i = -1; i < c.iterations; ++i) {  // one to warm up
      std::copy(keys.begin(), keys.end(), data.begin());
      const std::uint64_t start = now_ns();
      work(data);
      if (i >= 0) sum += double(now_ns() - start);
      verify(right(data), "work on one rank by hand");
    }
    done = 1;
  }
  while (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  c.sync();
  return sum / double(c.iterations);
}
/// The same of a sort.
template <class T, class Sort>
double by_one(const row_context& c, std::vector<T> (*make)(std::size_t, std::size_t), Sort sort) {
  return by_one<T>(c, make, sort, [](const std::vector<T>& data) { return std::is_sorted(data.begin(), data.end()); });
}

inline void pin_to(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

/// Both cores are those of rank 0 as long as one exists: threads that a library starts take those of the thread that starts them.
class both_cores {
 public:
  explicit both_cores(const row_context& c) : of_rank_(c.rank == 0) {
    if (!of_rank_) return;
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t two;
    CPU_ZERO(&two);
    CPU_SET(0, &two), CPU_SET(1, &two);
    sched_setaffinity(0, sizeof two, &two);
  }
  ~both_cores() {
    if (of_rank_) sched_setaffinity(0, sizeof before_, &before_);
  }
  both_cores(const both_cores&) = delete;

 private:
  bool of_rank_;
  cpu_set_t before_{};
};

}  // namespace bench::hand
