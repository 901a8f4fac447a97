// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "armilla/boot/launcher.hpp"

namespace armilla::detail {

/// Why the launcher that has left its signs in the environment cannot be asked: they were left over by a job that has ended, and
/// what speaks to launchers would wait for it, or say what nobody understands. Empty: its server takes calls, or cannot be tried.
std::string why_gone(const launcher& from);

}  // namespace armilla::detail
