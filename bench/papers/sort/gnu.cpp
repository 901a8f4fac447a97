// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include <parallel/algorithm>

#include "bench/papers/sort/baselines.hpp"

namespace sorting {

// parallel
void sort_by_gnu(std::vector<key>& keys, int threads) {
  omp_set_num_threads(threads);
  __gnu_parallel::sort(keys.begin(), keys.end());
}
// end of parallel

}  // namespace sorting
