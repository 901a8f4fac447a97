// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "armilla/boot/job_block.hpp"
#include "armilla/boot/spawn_process.hpp"

namespace armilla::detail {

struct options;

/// A job that is ready to start: its memory, and what each rank runs where.
struct job_plan {
  int memory = -1;           ///< descriptor of the host's memory
  job_block* job = nullptr;  ///< its first pages, filled; the control pages of all ranks are mapped behind them
  rank_t ranks = 0;
  std::vector<const program_spec*> program_of;  ///< for each rank
};

/// Numbers the ranks in the order of `programs`, decides the layout and the places, makes the memory and writes the job block.
/// Entries with the same executable file become one program. Throws `usage_error` or `limit_error`.
job_plan make_plan(const std::vector<program_spec>& programs, const options& settings);

}  // namespace armilla::detail
