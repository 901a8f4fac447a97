// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench/papers/common/threads.hpp"

/// Barriers of threads, for comparison. Each function has the threads meet `times` times; false if one of them left before
/// all had come.
namespace fences {

bool openmp_barriers(const papers::seats& threads, long times);
bool std_barriers(const papers::seats& threads, long times);

}  // namespace fences
