// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of the library; no public header includes it.
#include <array>
#include <cstdint>
#include <string>

namespace armilla::detail {

/// The addresses of the calls that were under way, innermost first. Taking them costs as much as a throw: some 3 us with a few
/// frames, 10 us with thirty. Finding what they are called takes up to 100 ms the first time.
struct call_stack {
  static constexpr int most = 40;
  std::array<std::uintptr_t, most> address;
  int size = 0;
};

/// Of this thread or fiber, without the function itself. Safe in a signal handler, where the interrupted function is among them.
call_stack take_call_stack() noexcept;

/// From now on they are empty in this process: for languages that move parts of the stack elsewhere, where no unwinder may look.
void take_no_call_stacks() noexcept;

/// The innermost frame that is neither of Armilla nor of the standard library nor of the system, as a user writes it:
/// "heat.cpp:42, in step(double)"; "in step(double)+0x1c" if the program was compiled without -g; empty if no frame is.
/// Allocates.
std::string own_frame(const call_stack& calls);

/// Prints `before` and that frame to stderr: "rank 2: SIGSEGV arose at heat.cpp:42". Without -g the function's name, as the
/// linker knows it. Prints nothing if no frame is the user's. For a signal handler of a process that ends: allocates no memory.
void say_own_frame(const call_stack& calls, const char* before) noexcept;

}  // namespace armilla::detail
