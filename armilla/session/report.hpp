// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "armilla/base/core/context.hpp"
#include "armilla/object/made_object.hpp"
#include "armilla/phase.hpp"
#include "armilla/stats.hpp"

namespace armilla::detail {

struct launch;

/// Containers of one name, type and line, of all ranks.
struct container_report : object_row {
  std::size_t ranks = 0;            ///< that had a part
  std::uint64_t most_elements = 0;  ///< of a rank

  double most_by_mean() const noexcept {
    return share.elements ? double(most_elements) * double(ranks) / double(share.elements) : 0;
  }
};

/// What one rank did.
struct rank_report {
  std::string program;
  double seconds_per_border = 0;  ///< 0 without times
  statistics whole;
  std::vector<phase_statistics> phases;
  std::vector<std::uint64_t> sent;      ///< bytes to each rank, in frames, in lines of 64
  std::vector<std::uint64_t> buffered;  ///< ns for which a frame for each rank was filled, the longest
  std::vector<object_row> containers{};
};

/// What phases of one name did in the job.
struct phase_report : phase_statistics {
  std::size_t ranks = 0;            ///< that were in it
  std::uint64_t most_elements = 0;  ///< of a rank
  double most_cpu = 0;              ///< seconds of a rank

  /// How uneven it was: the most of a rank by the mean of those that were in it. 0: there was nothing.
  double uneven_elements() const noexcept {
    return what.elements ? double(most_elements) * double(ranks) / double(what.elements) : 0;
  }
  double uneven_cpu() const noexcept { return what.time.cpu > 0 ? most_cpu * double(ranks) / what.time.cpu : 0; }
};

/// What the job did.
struct job_report {
  std::string fabric;
  bool timing = false;
  std::vector<rank_report> ranks;
  statistics total;                            ///< sums over the ranks
  std::vector<phase_report> phases;            ///< sums over the ranks, in the order of the first rank that has one
  std::vector<container_report> containers{};  ///< the largest first
};

/// What carries the messages of this job: "shm", "threads", "ucx", or "shm+ucx" where hosts share memory inside.
std::string fabric_of(const launch& self);

/// Fills total, phases and containers from the ranks.
void add_up(job_report& job);

/// The report as people read it, and as programs do.
std::string text_of(const job_report& job);
std::string json_of(const job_report& job);

/// What it takes to take a free lock and give it back, where times were asked for: a fraction of a border, so it is not measured
/// where it happens, but counted. Before `begin_stats`.
void measure_locks(context& self);

/// At the end of the job, if ARMILLA_STATS asks for it: gathers what the ranks did, and rank 0 prints it on stderr or writes the
/// file. Collective. What the report itself does is not in it. Errors: usage_error when the file cannot be written.
void report_stats(context& self);

/// The same for ARMILLA_TRACE: this rank's part is complete. Where no supervisor of ours puts the parts together, rank 0 does.
void report_trace(context& self);
/// The job has failed on this rank, and there is no supervisor of ours: what lies on this host is put together now.
void rescue_trace(context& self) noexcept;

}  // namespace armilla::detail
