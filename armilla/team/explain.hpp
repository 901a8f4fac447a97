// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "armilla/base/context.hpp"

namespace armilla::detail {

/// What a collective waits for: "barrier 3: rank 2 has not come". Empty if `on` is none of its flags.
std::string explain_collective(const context& self, const char* what, const void* on);

}  // namespace armilla::detail
