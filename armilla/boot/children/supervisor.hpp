// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "armilla/boot/children/spawn_process.hpp"

namespace armilla::detail {

struct options;

/// Starts the ranks of a job on this host, watches them, and returns what the process shall exit with: 0 if every rank came to
/// its end. The first rank that fails ends the job: within half a second all are gone and one message says which rank it was and
/// why. So do SIGINT, SIGTERM, SIGHUP and SIGQUIT. The ranks die with the calling thread. Throws `usage_error` and `limit_error`
/// before anything was started.
int supervise(const std::vector<program_spec>& programs, const options& settings);

}  // namespace armilla::detail
