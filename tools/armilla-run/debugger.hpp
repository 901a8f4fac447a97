// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace armilla::run {

/// Becomes a gdb in which `words`, a command that starts a job on this host, is ready to run, and all its ranks will be
/// inferiors: breakpoints hold in all of them, and a stop of one stops all. Returns only if there is no gdb, with the reason.
std::string become_debugger(const std::vector<std::string>& words);

}  // namespace armilla::run
