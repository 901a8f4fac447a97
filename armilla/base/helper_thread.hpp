// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <thread>

namespace armilla::detail {

/// Starts a thread that the library has beside a rank's own, under that name (at most 15 letters). No signal is delivered to it:
/// signals are for the rank's own thread. `run` throws nothing.
std::thread start_helper_thread(const char* name, std::function<void()> run);

}  // namespace armilla::detail
