// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>

#include "armilla/boot/launch.hpp"

namespace armilla::detail {

/// Joins a job that `others` brought together: every rank of it calls this. Ranks that can share memory do: the first of them
/// makes it and hands it to those that reach its door, whatever names their hosts have; who cannot have it is a host of its own.
/// `problem`: what is wrong with this rank's options, or empty. What goes wrong is said once and ends the job.
launch join_launched(bootstrap& others, options& settings, const std::string& problem);

/// This rank failed, and has noted it: the first of the host says so, and the launcher ends the job. For jobs that have no
/// supervisor of ours; in others it does nothing.
/// `meanwhile` is called when that has been said, before this process ends.
void end_launched(const launch& self, const std::function<void()>& meanwhile = {}) noexcept;
/// Rank `lost` is, and there is no supervisor of ours to end the job: this process does it when the others have had their time.
/// The first of its host says why. Returns at once.
void end_after_loss(const launch& self, rank_t lost) noexcept;
void end_launched(bootstrap* started, const job_block& job, rank_t rank) noexcept;

}  // namespace armilla::detail
