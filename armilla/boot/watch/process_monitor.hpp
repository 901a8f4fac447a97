// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "armilla/boot/host/job_block.hpp"

/// Whether the other ranks of this host live, where a foreign launcher looks after them.
///
/// A launcher that sees one end ends the others, and says little of why. So each rank has a thread that watches processes of its
/// host, and tells all ranks of it which one ended and how, before the launcher comes to them. The launcher's SIGTERM, if the
/// program has no handler of its own for that, waits for the moment in which this can be heard and said.
namespace armilla::detail {

class process_monitor {
 public:
  static constexpr std::size_t most_watched = 64;  ///< by each: those behind it, in a circle

  struct process {
    rank_t rank;
    pid_t pid;
  };
  /// `all`: of this host, ascending, `me` among them. All of them live, and go on only when all have come here.
  process_monitor(job_block& job, rank_t me, const std::vector<process>& all, std::uint64_t grace_ns);
  ~process_monitor();
  process_monitor(const process_monitor&) = delete;

  /// `heard` is called, on a thread of its own, when one has ended before the job; the ranks of this host have been told.
  /// `first`: nothing had failed before, and this process is the one to say so.
  using listener = std::function<void(rank_t lost, bool first)>;
  static void start(const std::shared_ptr<process_monitor>& self, listener heard);

 private:
  struct watched {
    process who;
    int descriptor;
  };
  void run() noexcept;
  int patience_ms() const;
  void look(watched& w);
  void lose(const watched& w, int status);
  bool told_to_end(std::uint64_t within_ns);
  void end_if_it_is_time();

  job_block& job_;
  rank_t me_;
  std::uint64_t grace_ns_;
  int signal_ = -1;            // an eventfd: SIGTERM came
  std::uint64_t told_ns_ = 0;  // that is when; 0: it has not
  std::uint64_t lost_ns_ = 0;  // when the first was lost
  std::vector<watched> others_;
  listener heard_;
};

/// How the process ended that has this number and descriptor, as `wait` would say it, whichever its parent is. -1: not known.
int status_of_ended(pid_t pid, int pidfd) noexcept;

}  // namespace armilla::detail
