// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "armilla/base/values/types.hpp"
#include "armilla/boot/host/job_block.hpp"
#include "armilla/ring/host_layout.hpp"

namespace armilla::detail {

struct options;
class bootstrap;
class network;
class heartbeat;
class descriptor;
class gatherings;

/// One executable image of the job and the ranks that run it, in ascending order.
struct program_entry {
  std::string name;
  std::vector<rank_t> ranks;
};

/// What a rank knows when it starts: its number, the other ranks, and the memory they share. Every layer starts from it.
/// It outlives the layers. In a job of threads each rank has its own, over one mapping.
struct launch {
  rank_t rank = 0;
  rank_t places = 1;        ///< numbers that a rank can have
  rank_t spare_places = 0;  ///< the last so many of them are for ranks that join later
  std::uint32_t program = 0;
  std::vector<program_entry> programs;
  bool new_rank = false;           ///< it takes the place of a rank that was lost, or one that was kept for ranks that join
  bool threads = false;            ///< ranks are threads of this process
  bool oversubscribed = false;     ///< more ranks than processors: a wait soon lets others run
  std::uint32_t cores = 1;         ///< cores that this job may use
  std::uint32_t processors = 1;    ///< hardware threads that this job may use
  std::byte* host_base = nullptr;  ///< where the host's memory lies in this process
  host_layout layout;
  job_block* job = nullptr;  ///< == host_base
  /// The host of each rank, numbered from 0; empty: all are on this one.
  std::vector<std::uint32_t> host_of;
  std::vector<std::string> host_names;      ///< by number; empty as `host_of`
  std::string interface;                    ///< of this host, by which the others are reached; empty: one host, or no way
  std::shared_ptr<descriptor> host_memory;  ///< where this process is the one by which others find the job
  std::shared_ptr<heartbeat> beat;          ///< of the first rank of a host of several
  bool all_far = false;                     ///< the network carries everything but what a rank sends to itself
  network* beyond = nullptr;                ///< carries what goes to ranks of other hosts; null: there are none
  bootstrap* started = nullptr;             ///< what brought the ranks together; null: this host's supervisor, or nothing
  gatherings* left = nullptr;  ///< agrees which ranks of several hosts are left; null: they are on one, or none goes on
  std::string why;             ///< the network, or none: for people
  const options* settings = nullptr;

  /// Whether what goes to rank `r` is carried by the network.
  bool far(rank_t r) const {
    return r != rank && (all_far || (!host_of.empty() && host_of[std::size_t(r)] != host_of[std::size_t(rank)]));
  }
  /// Ranks of the start: those of `world()`.
  rank_t world_size() const noexcept { return places - spare_places; }
  /// Where this rank's segment lies in its host's memory, and the ring from one rank of the host to another.
  std::uint64_t segment() const { return layout.segment(job->locals.of(rank)); }
  std::uint64_t ring(rank_t from, rank_t to) const {
    return layout.ring(host_layout::to_rank, job->locals.of(from), job->locals.of(to));
  }
  /// Process of rank `r`.
  std::int32_t pid_of(rank_t r) const { return job->rank[r].pid.load(std::memory_order_relaxed); }
};

}  // namespace armilla::detail
