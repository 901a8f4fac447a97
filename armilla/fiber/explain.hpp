// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "armilla/fiber/scheduler.hpp"

namespace armilla::detail {

/// "main", "fiber 7", "fiber 7 (a body)".
std::string name_of(const fiber_record& f);

/// What a fiber waits for, as far as this layer knows the object: "mutex::lock of 0x7f..., held by fiber 3". To be called on the
/// rank's own thread, while the fiber waits: the objects that fibers wait for are alive.
std::string explain_wait(const scheduler& all, const fiber_record& f, std::uint64_t now_ns);

}  // namespace armilla::detail
