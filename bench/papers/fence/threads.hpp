// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Barriers of threads, for comparison. Each function has `threads` threads meet `times` times; false if one of them left before
/// all had come.
namespace fences {

bool openmp_barriers(int threads, long times);
bool std_barriers(int threads, long times);

}  // namespace fences
