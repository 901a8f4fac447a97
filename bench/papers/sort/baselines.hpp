// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/papers/common/threads.hpp"
#include "bench/papers/sort/keys.hpp"

/// Sorts by hand and by other libraries, with threads of one process. Each sorts `keys` in place.
namespace sorting {

/// The hand-tuned version of the paper: keys are brought together by part, each thread copies its part from the others' buffers
/// and sorts it. Paper: STAPL, section 7.3.
void sort_by_threads(std::vector<key>& keys, const papers::seats& threads);
/// __gnu_parallel::sort.
void sort_by_gnu(std::vector<key>& keys, const papers::seats& threads);
/// tbb::parallel_sort.
void sort_by_tbb(std::vector<key>& keys, const papers::seats& threads);

}  // namespace sorting
