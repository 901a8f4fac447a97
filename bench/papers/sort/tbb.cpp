// SPDX-License-Identifier: Apache-2.0
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include "bench/papers/sort/baselines.hpp"

namespace sorting {

namespace {

/// Each worker goes to its core when it first takes part.
class seated : public tbb::task_scheduler_observer {
 public:
  explicit seated(const papers::seats& threads) : threads_(threads) { observe(true); }
  ~seated() override { observe(false); }
  void on_scheduler_entry(bool) override {
    const int me = tbb::this_task_arena::current_thread_index();
    if (0 <= me && me < threads_.count()) threads_.take(me);
  }

 private:
  const papers::seats& threads_;
};

}  // namespace

// parallel
void sort_by_tbb(std::vector<key>& keys, const papers::seats& threads) {
  const seated workers(threads);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, std::size_t(threads.count()));
  tbb::parallel_sort(keys.begin(), keys.end());
}
// end of parallel

}  // namespace sorting
