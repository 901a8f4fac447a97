// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/core/context.hpp"

namespace armilla::detail {

struct launch;

void start_stats(context& self, const launch& how);
void stop_stats(context& self);
/// On rank 0: its long algorithms are told of from now on.
void tell_progress(context& self);

}  // namespace armilla::detail
