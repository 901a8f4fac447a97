// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "bench/harness/link.hpp"

namespace bench {

/// Where this program lies, with a slash behind.
std::string own_folder();

/// One figure of one worker, with the raw line just before and just after.
struct sample {
  double value = 0;
  double before = 0;
  double after = 0;
  bool undisturbed = true;  ///< no other program had the cores for more than a moment
  anatomy parts = {};       ///< for rows that tell
  double yardstick() const { return (before + after) / 2; }
  bool steady() const;  ///< the yardsticks differ by at most 15 %, and no other process came between
};

/// What does a row: a job of Armilla, of MPI, of processes that use shared memory by hand; or the compiler. Jobs of Armilla
/// differ:
///   by_message      global memory is reached by messages although it is mapped
///   timed           the same, and the library takes the time of its components
///   yielding        ranks that outnumber the cores yield them to others whatever these are
///   goes_on         outlives ranks that die, but none does
///   with_thread     the same, and a thread of each rank answers while it computes
///   interrupted     the same, and each rank is interrupted while it computes
///   fresh           the same as armilla, started anew for each sample: memory holds nothing of earlier ones
///   traced          each rank notes what it does; the file is thrown away
///   programs        rank 0 runs this program and the others another one; by message, too
///   programs_timed  the same, timed
///   example         a whole program of examples/, started anew each time; example_mpi: its twin by MPI
///   polars, duckdb  those for tables, in Python, by a process for each sample
///   pair            two jobs of so many ranks each do it at once on the same cores; the figure is the slower one's
///   mourners        jobs that each lose a rank; mourners_on_hosts: a host
///   over_mpi        started by mpirun, and MPI carries everything
///   over_ucx        UCX carries everything, by what it chooses itself; over_ucx_tcp: by TCP
///   over_x_thread   the same as over_x, and a thread of each rank answers while it computes
///   hosts_mpi       the ranks are on two hosts, and MPI carries everything; hosts_ucx: UCX
///   hosts_mixed_mpi the same, but inside a host shared memory does; hosts_mixed_ucx: UCX between the hosts
enum class worker_kind {
  armilla,
  fresh,
  yielding,
  goes_on,
  by_message,
  timed,
  with_thread,
  interrupted,
  traced,
  programs,
  programs_timed,
  over_mpi,
  over_ucx,
  over_ucx_tcp,
  over_mpi_thread,
  over_ucx_tcp_thread,
  hosts_mpi,
  hosts_ucx,
  hosts_mixed_mpi,
  hosts_mixed_ucx,
  mpi,
  ucx,
  ucx_tcp,
  hand,
  compiler,
  example,
  example_mpi,
  polars,
  duckdb,
  pair,
  mourners,
  mourners_on_hosts
};

struct job_options {
  worker_kind kind = worker_kind::armilla;
  int ranks = 2;
  std::string fabric = "shm";
};

/// A running worker: the ranks of one kind, started by the coordinator, blocked until they are asked for a row.
class job {
 public:
  /// Starts the ranks and waits for them to connect; throws when they do not.
  explicit job(const job_options& options);
  ~job();  ///< ends it: politely, then not
  job(const job&) = delete;
  job& operator=(const job&) = delete;

  /// Has one row done once. Throws what a rank reports (the job is no good then), `no_such_row` when there is none.
  sample run(const std::string& row, long size, long iterations);
  struct no_such_row {};
  /// Thrown by the constructor where the machine does not allow such a job.
  struct not_here {
    const char* why;
  };

 private:
  void start(const job_options& options, const std::string& name);
  void accept_all(const listener& door, int ranks);
  std::vector<answer> gather();
  void finish();

  pid_t child_ = -1;
  std::string left_;  ///< file that the job leaves, or nothing
  std::vector<link> ranks_;
  bool broken_ = false;
};

/// The jobs of a session: started on first use, restarted after a failure.
class job_pool {
 public:
  sample run(const job_options& options, const std::string& row, long size, long iterations);
  /// Ends all but the jobs of this many ranks, so that few processes stand about.
  void keep_only(int ranks);

 private:
  struct slot {
    job_options options;
    std::unique_ptr<job> running;
  };
  /// Two jobs that do the same at once.
  sample run_pair(job_options each, const std::string& row, long size, long iterations);

  std::vector<slot> slots_;
  int ranks_of_pair_ = 0;
  std::unique_ptr<job> pair_[2];
};

/// What this kind of worker needs and is not here, in words; empty: nothing.
std::string missing(worker_kind kind);

}  // namespace bench
