// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/common/clock.hpp"

#include <chrono>

namespace papers {

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace papers
