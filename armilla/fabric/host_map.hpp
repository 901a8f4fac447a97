// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "armilla/base/core/context.hpp"
#include "armilla/base/values/zeroed_array.hpp"
#include "armilla/boot/host/control_block.hpp"
#include "armilla/ring/host_layout.hpp"
#include "armilla/ring/ring.hpp"

namespace armilla::detail {

class network;
class shared_network;

/// Where the memory of this host's ranks is mapped in this process.
struct host_map {
  std::byte* base = nullptr;
  host_layout layout;
  bool threads = false;              ///< the ranks are threads of this process: any address of any rank can be used
  bool new_rank = false;             ///< this rank came into the running job: its rings go on where they were
  bool oversubscribed = false;       ///< more ranks than cores: yield soon
  zeroed_array<std::byte*> segment;  ///< start of each rank's segment here; null where it is not mapped or access is restricted
  zeroed_array<pid_t> pid;           ///< process of each rank of this host
  zeroed_array<std::uint32_t> program;  ///< program of each rank
  network* beyond = nullptr;            ///< carries what goes to the far ranks; null: there are none
  shared_network* shared = nullptr;     ///< the same, for the rank and its progress thread; null: the rank has it alone
  zeroed_array<std::uint32_t> number;   ///< by rank: its host's; ranks with one number share memory
  std::byte* collectives = nullptr;     ///< where the collective areas lie: in the host's memory, or private to this rank
  const std::vector<std::string>* names = nullptr;  ///< of hosts, by number; empty: all ranks are on one
  zeroed_array<bool> far;                           ///< by rank: a network carries what goes there, nothing of it is mapped here

  job_block& job() const noexcept { return *reinterpret_cast<job_block*>(base); }
  const local_ranks& locals() const noexcept { return job().locals; }

  // Of ranks with places in this host's memory.

  local_rank local(rank_t r) const noexcept { return locals().of(r); }
  /// Whatever the access rules say.
  std::byte* segment_start(rank_t r) const noexcept { return base + layout.segment(local(r)); }
  std::byte* staging(rank_t r) const noexcept { return base + layout.staging(local(r)); }
  control_block& control(rank_t r) const noexcept { return *reinterpret_cast<control_block*>(base + layout.control(local(r))); }
  control_block& progress_thread(rank_t r) const noexcept { return *(&control(r) + 1); }
  ring_memory ring(int lane, rank_t from, rank_t to) const noexcept {
    return {base + layout.ring(lane, local(from), local(to)), host_layout::ring_header, layout.ring_bytes};
  }
};

}  // namespace armilla::detail
