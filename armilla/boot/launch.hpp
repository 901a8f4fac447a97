// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/base/types.hpp"
#include "armilla/boot/job_block.hpp"
#include "armilla/ring/host_layout.hpp"

namespace armilla::detail {

struct options;

/// One executable image of the job and the ranks that run it, in ascending order.
struct program_entry {
  std::string name;
  std::vector<rank_t> ranks;
};

/// What a rank knows when it starts: who it is, who the others are, and the memory they share. Every layer starts from it.
/// It outlives the layers. In a job of threads each rank has its own, over one mapping.
struct launch {
  rank_t rank = 0;
  rank_t ranks = 1;
  std::uint32_t program = 0;
  std::vector<program_entry> programs;
  bool threads = false;            ///< ranks are threads of this process
  bool oversubscribed = false;     ///< more ranks than processors: who waits should soon let others run
  std::uint32_t cores = 1;         ///< cores that this job may use
  std::uint32_t processors = 1;    ///< hardware threads that this job may use
  std::byte* host_base = nullptr;  ///< where the host's memory lies in this process
  host_layout layout;
  job_block* job = nullptr;  ///< == host_base
  const options* settings = nullptr;

  /// Process of rank `r`.
  std::int32_t pid_of(rank_t r) const { return job->rank[r].pid.load(std::memory_order_relaxed); }
};

}  // namespace armilla::detail
