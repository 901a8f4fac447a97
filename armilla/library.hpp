// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "armilla/future.hpp"

namespace armilla {

/// Makes rank `dest` (of whichever program) load a shared library and call its function `armilla_library`, on that rank, which
/// provides what the library has:
///
///     extern "C" void armilla_library() {
///       am::provide_class<solver_api::make, fast_solver>();
///       am::provide<solver_api::step, &fast_solver::step>();
///     }
///
/// Calls that follow `load_library` go after it:
///
///     (void)am::load_library(3, "libsolver.so");
///     auto s = am::create<solver_api::make>(3, 100);
///
/// The library is a file in one of the folders that `ARMILLA_LIBRARIES` names on that rank, or below one; without that option,
/// nothing is loaded. It is linked against nothing of Armilla: the program that loads it has it all (`armilla-host`, or a program
/// that exports its symbols and links the whole library). It is loaded once and stays; a second `load_library` does nothing. What
/// it offers is called by name: its functions have no number that other ranks know. Errors, at `get()`: remote_error that says
/// why. Paper: MRPC, section 4 (idle nodes load processor objects).
[[nodiscard]] future<void> load_library(rank_t dest, const std::string& library);

namespace detail {
struct context;
void provide_load(context& self);
/// The file that `library` means within `folders` (colons between). Throws usage_error when there is none, or it lies outside.
std::string find_library(const std::string& library, const std::string& folders);
}  // namespace detail

}  // namespace armilla
