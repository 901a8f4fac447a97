// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "armilla/stats.hpp"

/// Attached clients: processes that observe and call a running job without being one of its ranks.
///
/// Use it for monitors, debuggers and front ends. The client runs on a host of the job, as the same user; it needs no session.
///
///     am::client job = am::attach();                                 // the only job; or by program, or by process
///     for (const am::rank_look& r : job.look())
///       std::printf("%d %s %lu\n", r.rank, r.doing.c_str(), r.counts.frames_sent);
///
/// A client reads pages that it shares with the ranks. It needs no help of theirs, so it sees ranks that compute, hang or are
/// stopped as well as others. Ranks of other hosts are seen through the agents of armilla-run --hosts. For calls of methods see
/// armilla/client_call.hpp, for data armilla/exposed.hpp.
namespace armilla {

class client;
class client_rank;
namespace detail {
class client_state;
class client_line;

std::shared_ptr<client_line> line_of(const client_rank& r);
client_state& state_of(const client& job);
}  // namespace detail

/// A running job of this host.
struct job_summary {
  int process = 0;       ///< the supervisor, or the process of a job of one rank
  std::string program;   ///< of rank 0
  int ranks = 0;         ///< those of the start and those that have joined: the highest number + 1
  bool threads = false;  ///< its ranks are threads of one process
};

/// Returns the running jobs of this host that belong to this process's user, by process.
///
/// Cost: some tens of microseconds for each process of this user.
std::vector<job_summary> jobs();

/// What a client sees of one rank.
struct rank_look {
  rank_t rank = 0;
  int process = 0;
  std::string program;
  bool here = true;   ///< its process runs on this host
  bool known = true;  ///< false: it runs on another host, which does not answer; only rank and program are valid
  std::string host;   ///< the host if it is another one, by the name that armilla-run was given
  /// "starting", "busy", "waiting", "ending", "finished", "stopped" (by a signal), or "gone": its process has ended. A rank is
  /// busy while it does not sleep: it computes, polls, or is in the system.
  std::string doing;
  double seconds = 0;        ///< how long it has had nothing to do (waiting), or since its last poll that found nothing (busy)
  std::string waits_for;     ///< what its main fiber waits for: "barrier", "future::wait"
  std::string algorithm;     ///< the algorithm that it is in; empty: none
  statistics counts;         ///< counters only; small one-way calls count when their frame is sent
  double cpu = 0;            ///< seconds of processor time that its process has used; 0: not known, as for ranks that are threads
  std::uint64_t memory = 0;  ///< bytes of its process in memory, including those that it shares with other ranks
  std::uint64_t segment = 0;  ///< bytes of its segment in memory
};

/// A method that a rank provides.
struct method_summary {
  std::string name;
  std::string signature;   ///< as people read it: "float64(int32, string)"
  std::uint64_t hash = 0;  ///< of the signature
};

/// One rank of a job, for calls of an attached client. All objects that a client has for one rank share one slot at it.
class client_rank {
 public:
  /// Returns its number.
  rank_t rank() const noexcept { return rank_; }
  /// Returns the methods that it provides now, by name. Errors are those of `call`.
  std::vector<method_summary> methods() const;

 private:
  friend class client;
  friend std::shared_ptr<detail::client_line> detail::line_of(const client_rank& r);
  client_rank(std::shared_ptr<detail::client_state> job, rank_t r) noexcept : job_(std::move(job)), rank_(r) {}

  std::shared_ptr<detail::client_state> job_;
  rank_t rank_;
};

/// A running job, as an attached client sees it. Copies share one mapping, and threads may use them at the same time.
///
/// The job may end at any time; the client then sees its last state.
class client {
 public:
  /// Returns the supervisor, or the process of the job by which it was found.
  int process() const noexcept;
  /// Returns the number of ranks, as in its summary.
  rank_t ranks() const noexcept;
  /// Returns what `jobs` says of it.
  job_summary summary() const;
  /// Returns whether a rank of it still runs on this host.
  bool alive() const noexcept;
  /// Returns a snapshot of each rank. Counters of one rank are read one by one while it continues.
  ///
  /// Cost: some microseconds for each rank. If armilla-run --hosts has started ranks on other hosts, their agents are asked: some
  /// milliseconds, and up to 0.9 s if one does not answer; its ranks are not `known`.
  std::vector<rank_look> look() const;
  /// Returns what the ranks wait for, in lines, as the job itself would report it: the fibers of each rank, and what they wait
  /// for; or that it computes. Cost: ranks that wait write it down; 0.2 s at most.
  std::string who_waits() const;
  /// Returns rank `r`, for calls. Throws `usage_error` if there is no such rank.
  client_rank on(rank_t r) const;

 private:
  explicit client(std::shared_ptr<detail::client_state> state) noexcept : state_(std::move(state)) {}
  friend client attach(std::string_view which);
  friend detail::client_state& detail::state_of(const client& job);

  std::shared_ptr<detail::client_state> state_;
};

/// Attaches to a running job of this host.
///
/// `which` is a process of the job by number, or the name of its program, with or without folders. If it is empty, it is the only
/// job of this user, apart from one that this process runs itself. Throws `usage_error` if there is no such job, if there are
/// several (it lists them), or if the process belongs to another user.
client attach(std::string_view which = {});

}  // namespace armilla
