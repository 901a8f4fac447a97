// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "armilla/boot/host/job_block.hpp"

namespace armilla::detail {

/// Notes how the job failed, as seen by the rank (-1: a thread that is none). Only the first note of a job counts: the others
/// are mostly its consequences. Of a rank that failed by the same exception or code it is noted that it did. Wakes the
/// supervisor, which then stops the job. Async-signal-safe. True: it was the first.
bool record_failure(job_block& job, rank_t rank, failure_kind kind, int code, std::string_view text) noexcept;

/// Inside a catch block: notes the exception's type and text. What only follows from an exception of another rank waits for that
/// one to be noted first, a second at most: that rank may be about to note it, or have caught it.
void record_current_exception(job_block& job, rank_t rank) noexcept;

/// Notes that a rank exits too early, in a handler of exit. `record_place_of_exit` follows.
bool record_exit(job_block& job, rank_t rank, int code) noexcept;

/// In the same catch block, after everyone has been told of the end: where the exception arose, if it knows that, and it is the
/// one that was noted. Takes up to some 100 ms. `in_terminate`: otherwise the stack shows it, as nothing has been unwound.
void record_place(job_block& job, rank_t rank, bool in_terminate = false) noexcept;
/// The same of an exit: which function of the user called it.
void record_place_of_exit(job_block& job, rank_t rank) noexcept;

/// What a complete note says, with where it arose as a further line. Waits while its rank looks for that, 20 seconds at most.
std::string text_of_failure(const job_block& job);

/// The ranks that failed as the first did, without that one.
std::vector<rank_t> ranks_with_the_same_failure(const job_block& job);

}  // namespace armilla::detail
