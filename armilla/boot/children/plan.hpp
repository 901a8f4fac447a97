// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "armilla/boot/children/spawn_process.hpp"
#include "armilla/boot/host/job_block.hpp"
#include "armilla/boot/watch/oom_kills.hpp"

namespace armilla::detail {

class core_claims;
struct options;

/// A job that is ready to start: its memory, and what each rank runs where.
struct job_plan {
  int memory = -1;           ///< descriptor of the host's memory
  job_block* job = nullptr;  ///< its first pages, filled; the control pages of all ranks are mapped behind them
  rank_t world_size = 0;     ///< ranks that are started
  oom_kills killed_for_memory;
  std::shared_ptr<const core_claims> cores;     ///< to which ranks are bound
  std::vector<const program_spec*> program_of;  ///< for each place, of which there may be more; null: a spare one
};

/// Numbers the ranks in the order of `programs`, decides the layout and the processors, makes the memory and writes the job
/// block. Entries with the same executable file become one program. Throws `usage_error` or `limit_error`.
job_plan make_plan(const std::vector<program_spec>& programs, const options& settings);

/// Throws `usage_error` where lost ranks are to be replaced (ARMILLA_ON_LOSS=replace), and another option keeps them from it.
void require_replaceable(const options& settings);

/// The program of a rank that joins a running job: `place` is a spare one. Its number is that of the job's program with the same
/// file, else a new one. False: the job has as many programs as it can hold. `program` stays where it is.
bool add_program(job_plan& plan, rank_t place, const program_spec& program);

}  // namespace armilla::detail
