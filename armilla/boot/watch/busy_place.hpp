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

/// What a rank of this host does outside of the library, in another process or on another thread.
struct busy_rank {
  std::string place;            ///< "at heat.cpp:42, in step(double)"
  bool waits_for_lock = false;  ///< of the system, such as a std::mutex; else it computes
};
/// The place is empty if it is not known: the rank sleeps in another way (a signal would end that), its program is not the one of
/// this process, whose symbols are looked up here, or the function is not the user's. Takes up to 400 ms the first time.
busy_rank find_busy(job_block& job, rank_t r);

}  // namespace armilla::detail
