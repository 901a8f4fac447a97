// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/base/types.hpp"
#include "armilla/stats/stats.hpp"

/// Looking into a running job from a process that is none of its ranks, a guest: on the same host, as the same user.
///
///     armilla::guest job = armilla::attach();                       // my only job; or by program, or by process
///     for (const armilla::rank_look& r : job.look())
///       std::printf("%d %s %lu\n", r.rank, r.doing.c_str(), r.counts.frames_sent);
///
/// What a guest looks at lies in pages that it shares with the ranks: it needs no help of theirs, so it sees ranks that compute,
/// hang or are stopped as it sees others. Nothing here needs a session.
namespace armilla {

namespace detail {
class job_memory;
}

/// A job of this host.
struct job_summary {
  int process = 0;      ///< the supervisor, or a job of one rank itself
  std::string program;  ///< of rank 0
  int ranks = 0;
  bool threads = false;  ///< its ranks are threads of one process
};

/// The running jobs of this host that belong to this process's user, by process.
/// Cost: some tens of microseconds for each process of this user.
std::vector<job_summary> jobs();

/// What one rank shows.
struct rank_look {
  rank_t rank = 0;
  int process = 0;
  std::string program;
  bool here = true;  ///< its process runs on this host; false: nothing else is known of it
  /// "starting", "busy", "waiting", "ending", "finished", "stopped" (by a signal), or "gone": its process has ended.
  /// A rank is busy while it does not sleep: it computes, looks for messages, or is in the system.
  std::string doing;
  double seconds = 0;         ///< since when it has found nothing to do (waiting), or has last looked and found nothing (busy)
  std::string waits_for;      ///< of its main fiber, while it waits: "barrier", "future::wait"
  std::string algorithm;      ///< the algorithm that it is in; empty: none
  statistics counts;          ///< counters only; small statements count when their frame leaves
  std::uint64_t memory = 0;   ///< bytes of its process that are in memory, those it shares with other ranks included
  std::uint64_t segment = 0;  ///< bytes of its segment that are in memory
};

/// A running job, seen from outside. It may end at any time: it is then looked at as it was left. Copies share one mapping.
class guest {
 public:
  /// The supervisor, or the process of the job through which it was found.
  int process() const noexcept;
  rank_t ranks() const noexcept;
  job_summary summary() const;
  /// Whether a rank of it still runs on this host.
  bool alive() const noexcept;
  /// What each rank shows now. Counters of one rank are read one by one while it goes on. Cost: some microseconds a rank.
  std::vector<rank_look> look() const;

 private:
  explicit guest(std::shared_ptr<detail::job_memory> job) noexcept : job_(std::move(job)) {}
  friend guest attach(std::string_view which);

  std::shared_ptr<detail::job_memory> job_;
};

/// Joins a running job of this host as a guest. `which`: a process of the job by number, or the name of its program, with or
/// without folders; empty: the only job of this user, beside one that this process runs itself. Errors: usage_error if there is
/// no such job, if there are several (it lists them), or if the process is another user's.
guest attach(std::string_view which = {});

}  // namespace armilla
