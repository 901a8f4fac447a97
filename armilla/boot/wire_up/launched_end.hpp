// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/boot/host/launch.hpp"

namespace armilla::detail {

// How a job ends that another launcher started.

/// This rank failed, and has noted it: the first of the host says so, and the launcher ends the job. Nothing in jobs that have a
/// supervisor of ours. `meanwhile` is called when that has been said, before this process ends.
void end_launched(const launch& self, const std::function<void()>& meanwhile = {}) noexcept;
void end_launched(bootstrap* started, const job_block& job, rank_t rank) noexcept;
/// Rank `lost` is lost, and the job has no supervisor: this process ends it when the other ranks have had their time. The first
/// of its host says why. Returns at once.
void end_after_loss(const launch& self, rank_t lost) noexcept;

// ---- its parts ----

/// Says it, and gives the launcher the time to hear it.
void say_to_launcher(const std::string& text);
/// Says why the job is about to end: the note of the loss of rank `lost`.
void say_loss(bootstrap& started, const job_block& job, rank_t lost);
/// Gives other ranks, which are about to say why, the time to.
void let_others_speak();
/// Ends the job when the others have had their time, after `speak()`, which says why or waits until others have. Returns at once.
void end_soon(bootstrap& started, std::uint64_t grace_ns, std::function<void()> speak);

}  // namespace armilla::detail
