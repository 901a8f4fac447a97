// SPDX-License-Identifier: Apache-2.0
#include "armilla/boot/launcher.hpp"

#include <climits>
#include <cstdlib>

#include "armilla/boot/agent_line.hpp"
#include "armilla/boot/join_job.hpp"

namespace armilla::detail {
namespace {

bool set(const char* variable) noexcept { return std::getenv(variable) != nullptr; }

int number(const char* variable) noexcept {
  const char* const text = std::getenv(variable);
  const long n = text != nullptr ? std::strtol(text, nullptr, 10) : 0;
  return n > 0 && n < INT_MAX ? int(n) : 0;
}

}  // namespace

launcher find_launcher() {
  if (started_as_rank()) return {launcher_kind::own, 0, "armilla-run"};
  if (set(line_variable)) return {launcher_kind::agent, 0, "armilla-run"};
  if (set(joined_variable)) return {};  // a rank started this process: what is set was meant for that one
  if (set("OMPI_COMM_WORLD_RANK")) return {launcher_kind::open_mpi, number("OMPI_COMM_WORLD_SIZE"), "mpirun of Open MPI"};
  const bool step = set("SLURM_STEP_ID") && set("SLURM_PROCID");
  if (set("PMIX_RANK") && set("PMIX_NAMESPACE"))
    return {launcher_kind::pmix, step ? number("SLURM_STEP_NUM_TASKS") : 0, step ? "srun" : "a launcher that speaks PMIx"};
  if (set("PMI_RANK") || (set("PMI_FD") && set("PMI_SIZE")))
    return {launcher_kind::mpich, number("PMI_SIZE"), step ? "srun" : "mpirun of MPICH"};
  if (step) return {launcher_kind::slurm, number("SLURM_STEP_NUM_TASKS"), "srun"};
  return {};
}

}  // namespace armilla::detail
