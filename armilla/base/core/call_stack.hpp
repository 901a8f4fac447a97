// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of the library; no public header includes it.
#include <array>
#include <cstdint>
#include <exception>
#include <string>

#include "armilla/base/core/throw_place.hpp"

namespace armilla {
class error;
class remote_error;
}  // namespace armilla

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
/// `waits` says in which lines of that language the process waits now: "    at heat.py:31, in step\n" for each.
void take_no_call_stacks(std::string (*waits)() noexcept) noexcept;
/// What `waits` says; empty in other programs.
std::string lines_of_language();

/// The innermost frame that is neither of Armilla nor of the standard library nor of the system, as a user writes it:
/// "heat.cpp:42, in step(double)"; "in step(double)+0x1c" if the program was compiled without -g; empty if no frame is.
/// Allocates.
std::string own_frame(const call_stack& calls);
/// The same behind "at" or "in": "at heat.cpp:42, in step(double)"; empty if it is.
std::string at_own_frame(std::string frame);

/// Whether the address is outside of the system's libraries. Finds no names, so Armilla's functions count as the user's.
bool may_be_own(std::uintptr_t at) noexcept;

/// The same frame of another rank. If that runs another program, the file and an offset in it: "in worker+0x1234".
std::string own_frame(const throw_place& from);

/// From where this exception was thrown, if it has passed a `passing` and was the last one on this thread; else null.
const call_stack* calls_of_throw(const std::exception_ptr& thrown) noexcept;

/// The addresses that errors keep.
struct error_places {
  static const call_stack& own(const error& e) noexcept;
  static throw_place other(const remote_error& e) noexcept;
};

/// Prints `before` and that frame to stderr: "rank 2: SIGSEGV arose at heat.cpp:42, in step(double)". Prints nothing if no frame
/// is the user's. For a signal handler of a process that ends: allocates no memory in it.
void say_own_frame(const call_stack& calls, const char* before) noexcept;

}  // namespace armilla::detail
