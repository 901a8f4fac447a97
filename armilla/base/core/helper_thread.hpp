// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <system_error>
#include <thread>

namespace armilla::detail {

/// Starts a thread that the library has beside a rank's own, under that name (at most 15 letters). No signal is delivered to it:
/// signals are for the rank's own thread. `run` throws nothing.
/// Throws limit_error if the system starts no more threads.
std::thread start_helper_thread(const char* name, std::function<void()> run);

/// This thread sleeps mostly, beside one that computes on the same core: from here on, when it is woken, it runs at once and for
/// a short time, where the kernel can do that, and its naps end when they should.
void take_short_turns() noexcept;

/// What the limit_error says of a thread that the system did not start.
std::string no_thread_text(const char* name, const std::system_error& why);

}  // namespace armilla::detail
