// SPDX-License-Identifier: Apache-2.0
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>

#include "bench/papers/sort/baselines.hpp"

namespace sorting {

// parallel
void sort_by_tbb(std::vector<key>& keys, int threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, std::size_t(threads));
  tbb::parallel_sort(keys.begin(), keys.end());
}
// end of parallel

}  // namespace sorting
