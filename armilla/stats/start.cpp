// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/start.hpp"

#include <utility>

#include "armilla/stats/counters.hpp"

namespace armilla::detail {

void start_stats(context& self, const launch&) { self.count = new counters; }

void stop_stats(context& self) { delete std::exchange(self.count, nullptr); }

}  // namespace armilla::detail
