// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/boot/host/launch.hpp"

/// How a process takes the place of a rank that was lost, in a job that goes on (ARMILLA_ON_LOSS=replace), or a place that was
/// kept for ranks that join it (ARMILLA_MAX_RANKS). Such a place begins as lost.
///
/// Rings go on where they are, so that what the fences count by peer never goes back. Each rank that lives *hands over*: when it
/// has taken in all that the lost one had sent, it writes into the headers of the two rings between them how far it has read and
/// written, and touches nothing of that place any more. When all have, the new rank clears the memory of the place, begins its
/// ends of the rings there, and says that it lives.
///
/// Where a network carries what goes there, the headers of these rings serve it alike: with the counts of its frames. It forgets
/// the connection when its rank hands over, and the new rank's address is written where the old one's was before it lives.
///
/// A rank that is about to pass the first of the last fences refuses. Then no new rank is taken in.
///
/// Over several hosts armilla-run lets one come at a time, on all hosts alike, and hears of the refusal
/// (tools/armilla-run/new_rank_desk.hpp). Ranks of other hosts hand over by way of it (`hand_over_counts`). The new rank's
/// address is in the memory of every host before it lives.
namespace armilla::detail {

/// With which a new rank ends that is refused.
inline constexpr int not_needed_exit_code = 3;

/// Whether this process has been started for that and is not in the job yet.
bool is_new_rank(const job_block& job, rank_t rank) noexcept;
/// What the others see of the place before it lives: as at the start of a job.
void clear_control(job_block& job, rank_t rank) noexcept;

/// Waits until this rank may come in, and then until all that live have handed over. False: one refuses.
bool await_hand_overs(const launch& self);
/// Empties the rings that the place reads or writes, but for their positions, and the segment.
void clear_place(const launch& self);
/// From here on the others send to this rank and take in what it sends. False: it is refused.
bool enter_job(const launch& self);

}  // namespace armilla::detail
