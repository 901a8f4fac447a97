// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "armilla/stats.hpp"

/// Looking into a running job from a process that is none of its ranks, a guest: on a host of the job, as the same user.
///
///     armilla::guest job = armilla::attach();                       // my only job; or by program, or by process
///     for (const armilla::rank_look& r : job.look())
///       std::printf("%d %s %lu\n", r.rank, r.doing.c_str(), r.counts.frames_sent);
///
/// What a guest looks at lies in pages that it shares with the ranks: it needs no help of theirs, so it sees ranks that compute,
/// hang or are stopped as it sees others. Ranks of other hosts are seen through the agents of armilla-run --hosts. A guest calls
/// what ranks provide by name, too: <armilla/guest_call.hpp>. Nothing here needs a session.
namespace armilla {

class guest;
class guest_rank;
namespace detail {
class guest_state;
class guest_line;

std::shared_ptr<guest_line> line_of(const guest_rank& r);
guest_state& state_of(const guest& job);
}  // namespace detail

/// A job of this host.
struct job_summary {
  int process = 0;       ///< the supervisor, or a job of one rank itself
  std::string program;   ///< of rank 0
  int ranks = 0;         ///< of the start, and those that have joined: the highest number + 1
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
  bool here = true;   ///< its process runs on this host
  bool known = true;  ///< false: it runs on another host, of which nothing is heard: only rank and program are true
  std::string host;   ///< where it is not here: its host, as the user of armilla-run called it
  /// "starting", "busy", "waiting", "ending", "finished", "stopped" (by a signal), or "gone": its process has ended.
  /// A rank is busy while it does not sleep: it computes, looks for messages, or is in the system.
  std::string doing;
  double seconds = 0;         ///< since when it has found nothing to do (waiting), or has last looked and found nothing (busy)
  std::string waits_for;      ///< of its main fiber, while it waits: "barrier", "future::wait"
  std::string algorithm;      ///< the algorithm that it is in; empty: none
  statistics counts;          ///< counters only; small statements count when their frame leaves
  double cpu = 0;             ///< seconds of processor time that its process has used; 0: not known, as of ranks that are threads
  std::uint64_t memory = 0;   ///< bytes of its process that are in memory, those it shares with other ranks included
  std::uint64_t segment = 0;  ///< bytes of its segment that are in memory
};

/// A method that a rank provides.
struct method_summary {
  std::string name;
  std::string signature;   ///< as people read it: "float64(int32, string)"
  std::uint64_t hash = 0;  ///< of the signature
};

/// One rank of a job, for a guest's calls. Copies, and all that a guest makes for one rank, share a place at it.
class guest_rank {
 public:
  rank_t rank() const noexcept { return rank_; }
  /// What it provides now, by name. Errors: as of `call`.
  std::vector<method_summary> methods() const;

 private:
  friend class guest;
  friend std::shared_ptr<detail::guest_line> detail::line_of(const guest_rank& r);
  guest_rank(std::shared_ptr<detail::guest_state> job, rank_t r) noexcept : job_(std::move(job)), rank_(r) {}

  std::shared_ptr<detail::guest_state> job_;
  rank_t rank_;
};

/// A running job, seen from outside. It may end at any time: it is then looked at as it was left. Copies share one mapping, and
/// threads may use them at once.
class guest {
 public:
  /// The supervisor, or the process of the job through which it was found.
  int process() const noexcept;
  /// As in its summary.
  rank_t ranks() const noexcept;
  job_summary summary() const;
  /// Whether a rank of it still runs on this host.
  bool alive() const noexcept;
  /// What each rank shows now. Counters of one rank are read one by one while it goes on. Cost: some microseconds a rank. Where
  /// armilla-run --hosts has started ranks on other hosts, their agents are asked: some milliseconds, and up to 0.9 s where one
  /// does not answer; its ranks are not `known`.
  std::vector<rank_look> look() const;
  /// What the ranks wait for, as the job itself would tell: each one's fibers and what they wait for, in lines. Ranks that
  /// compute are said to. Cost: ranks that wait write it down; 0.2 s at most.
  std::string who_waits() const;
  /// Rank `r`, to be called. Errors: usage_error if there is no such rank.
  guest_rank on(rank_t r) const;

 private:
  explicit guest(std::shared_ptr<detail::guest_state> state) noexcept : state_(std::move(state)) {}
  friend guest attach(std::string_view which);
  friend detail::guest_state& detail::state_of(const guest& job);

  std::shared_ptr<detail::guest_state> state_;
};

/// Joins a running job of this host as a guest. `which`: a process of the job by number, or the name of its program, with or
/// without folders; empty: the only job of this user, beside one that this process runs itself. Errors: usage_error if there is
/// no such job, if there are several (it lists them), or if the process is another user's.
guest attach(std::string_view which = {});

}  // namespace armilla
