// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/core/context.hpp"

namespace armilla::detail {

struct launch;

void start_stats(context& self, const launch& how);
void stop_stats(context& self);
/// As the options ask for it, rank 0 shows the progress of long algorithms from now on.
void start_progress(context& self);

}  // namespace armilla::detail
