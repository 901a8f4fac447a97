// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include "bench/papers/fence/threads.hpp"
#include "bench/papers/fence/turns.hpp"

namespace fences {

bool openmp_barriers(const papers::seats& threads, long times) {
  turns shown(threads.count());
  int right = 1;
#pragma omp parallel num_threads(threads.count()) reduction(& : right)
  {
    const int me = omp_get_thread_num();
    threads.take(me);
    for (long i = 1; i < times; ++i) {
#pragma omp barrier
    }
    shown.show(me, times);
#pragma omp barrier
    right = right & int(shown.met(me, times));
  }
  return right == 1;
}

}  // namespace fences
