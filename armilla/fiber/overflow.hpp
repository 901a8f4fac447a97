// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "armilla/fiber/fiber_record.hpp"

namespace armilla::detail {

struct context;

/// From here on a fiber of the calling thread that runs beyond its stack ends the process with a message that names it and the
/// option to raise, and then with the signal (SIGSEGV) as usual; a handler that the program has installed before gets every
/// signal, too. The handler runs on an alternate signal stack, which the thread is given if it has none.
void watch_for_overflow();

/// Ends the process in the same way if `ended`, which had no guard, has used more than its stack.
[[gnu::cold]] void end_if_overflowed(const context& rank, const fiber_record& ended) noexcept;

}  // namespace armilla::detail
