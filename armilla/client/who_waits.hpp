// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "armilla/boot/visitors/job_search.hpp"
#include "armilla/client/circuit.hpp"

namespace armilla::detail {

/// What each rank of this host waits for, which it writes down where it waits. Throws limit_error if it cannot be asked.
std::vector<remote_waits> waits_here(job_memory& memory);

}  // namespace armilla::detail
