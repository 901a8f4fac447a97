// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "armilla/boot/host/launch.hpp"

namespace armilla::detail {

/// How a rank finds the job that it belongs to. Set by the supervisor, removed from the environment when the rank has joined, so
/// that what it starts is a job of its own.
inline constexpr const char* job_variable = "ARMILLA_INTERNAL_JOB";    // descriptor of the host's memory
inline constexpr const char* rank_variable = "ARMILLA_INTERNAL_RANK";  // number of the (first) rank of the process

/// Whether this process was started as a rank of a job.
bool started_as_rank() noexcept;

/// Joins that job: ties this process's life to the supervisor's, maps the memory, tells the job that it is here. One launch for
/// each rank of this process: one, or all of a job of threads. Reads the options from the environment. What goes wrong is noted
/// in the job or printed, and thrown as `limit_error` or `usage_error`.
std::vector<launch> join_job(options& settings);

/// A job of one rank in this process, without a supervisor: what a program does by default, also in a debugger.
launch join_alone(const options& settings, const char* name);

/// The last steps of joining, however the job was made: tells it that this rank is here, and what the rank knows of the job.
void announce(job_block& job, rank_t rank, std::uint64_t build) noexcept;
launch describe_launch(job_block& job, rank_t rank, const options& settings);

/// Meeting points, each of which can be used again and again.
enum meeting_point : std::uint32_t { all_joined, all_started, all_done, all_stopped, exchange_meeting };

/// Waits until every rank has come to meeting point `point`. The supervisor ends the job if one dies before, so this cannot hang.
void meet(const launch& self, std::uint32_t point);

/// As `meet`, without lost ranks. Each point is used once, in rising order; for jobs that go on after a loss.
void meet_living(const launch& self, std::uint32_t point);

/// After the first meeting: throws `usage_error` unless all ranks of this rank's program run the same build.
void require_same_build(const launch& self);

}  // namespace armilla::detail
