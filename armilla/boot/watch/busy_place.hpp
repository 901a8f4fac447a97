// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "armilla/boot/host/job_block.hpp"

namespace armilla::detail {

/// On the rank's own thread, when it begins: from now on its signal's handler notes the calls that it is in. Not where the
/// program has a handler of its own for that signal.
void note_calls_when_asked(job_block& job, rank_t rank) noexcept;
/// The thread ends, or is no rank any more.
void note_no_calls(job_block& job, rank_t rank) noexcept;

/// Where a rank of this host computes, in another process or on another thread: "at heat.cpp:42, in step(double)". Empty if that
/// is not known: it does not run on a processor now (a signal would end a sleep), its program is not the one of this process,
/// whose symbols are looked up here, or the function is not the user's. Takes up to 400 ms the first time.
std::string busy_place(job_block& job, rank_t r);

}  // namespace armilla::detail
