// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "armilla/boot/wire_up/launcher.hpp"

namespace armilla::detail {

/// Returns why the launcher that the environment names cannot be reached, or an empty string if it can, or if that cannot be
/// tested. Variables of a job that has ended would make the client wait, or fail with an error of its own.
std::string why_gone(const launcher& from);

}  // namespace armilla::detail
