// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/base/context.hpp"

namespace armilla::detail {

struct launch;

void start_stats(context& self, const launch& how);
void stop_stats(context& self);

}  // namespace armilla::detail
