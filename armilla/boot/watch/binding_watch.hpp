// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "armilla/boot/host/job_block.hpp"

namespace armilla::detail {

/// Processor time of a rank: that it had, and that it waited for, since it began.
struct core_use {
  std::uint64_t ran_ns = 0, queued_ns = 0;
};

/// Whether others than the ranks of a core have used a good part of it: one of them was ready to run for longer than the rest of
/// them ran. `spent`: by each of the core's ranks in `ns`.
bool others_use_core(std::span<const core_use> spent, std::uint64_t ns) noexcept;

/// Looks, for what looks after the ranks of a host, whether others use the cores to which ranks are bound, and then lets go of
/// all of them: where the kernel may move ranks, they find the cores that are free. Others are programs and jobs that came later,
/// and threads of the ranks that share their rank's core.
class binding_watch {
 public:
  /// `binds_itself`: the library has chosen to bind; what a user has asked for stays.
  binding_watch(job_block& job, bool binds_itself);

  /// When to look again: in milliseconds from now; -1: no rank is bound.
  int patience_ms() const;
  /// Looks if it is time to.
  void look();

 private:
  struct bound_rank {
    rank_t rank = 0;
    core_use before{};
  };
  bool is_crowded(std::uint64_t ns);
  void let_go();

  job_block& job_;
  std::vector<bound_rank> ranks_;  // in the order of their cores
  std::uint64_t every_ns_, last_ns_, next_ns_;
  int crowded_ = 0;  // looks in a row
};

}  // namespace armilla::detail
