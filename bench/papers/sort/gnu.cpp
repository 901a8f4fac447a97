// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include <parallel/algorithm>

#include "bench/papers/sort/baselines.hpp"

namespace sorting {

namespace {

void use(const papers::seats& threads) {
  omp_set_num_threads(threads.count());
#pragma omp parallel
  threads.take(omp_get_thread_num());
}

}  // namespace

// parallel
void sort_by_gnu(std::vector<key>& keys, const papers::seats& threads) {
  use(threads);
  __gnu_parallel::sort(keys.begin(), keys.end());
}
// end of parallel

}  // namespace sorting
