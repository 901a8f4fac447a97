// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "armilla/boot/children/spawn_process.hpp"

namespace armilla::run {

/// Adds the programs' ranks to a running job of this user on this host, named by a process or a program of it. They start in this
/// folder, with this environment. Returns when all are in the job, and says which they are, or why they are not. The exit code.
int join_running(const std::string& which, std::vector<detail::program_spec> programs);

}  // namespace armilla::run
