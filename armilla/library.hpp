// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "armilla/future.hpp"

namespace armilla {

/// Loads a shared library on rank `dest`, of any program, and calls its function `armilla_library` there, which provides what the
/// library has.
///
///     extern "C" void armilla_library() {
///       am::provide_class<solver_api::make, fast_solver>();
///       am::provide<solver_api::step, &fast_solver::step>();
///     }
///
/// Calls that follow `load_library` run after it:
///
///     (void)am::load_library(3, "libsolver.so");
///     auto s = am::create<solver_api::make>(3, 100);
///
/// The library is a file in one of the folders that `ARMILLA_LIBRARIES` names on that rank, or below one; without that option
/// nothing is loaded. It is not linked with Armilla: the program that loads it has the library (`armilla-host`, or a program that
/// exports its symbols and links all of it). It is loaded once and remains; a second `load_library` does nothing. What it has is
/// called by name (armilla/method.hpp).
///
/// `get()` throws `remote_error` that says why it failed.
///
/// Paper: MRPC, section 4 (idle nodes load processor objects).
[[nodiscard]] future<void> load_library(rank_t dest, const std::string& library);

namespace detail {
struct context;
void provide_load(context& self);

/// The file that `library` means within `folders` (colons between). Throws usage_error if there is none, or if it is outside.
std::string find_library(const std::string& library, const std::string& folders);
}  // namespace detail

}  // namespace armilla
