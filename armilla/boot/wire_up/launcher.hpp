// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {

/// What started this process, as its environment tells.
enum class launcher_kind {
  none,      ///< a shell, a debugger
  own,       ///< our supervisor
  agent,     ///< an agent of armilla-run --hosts
  open_mpi,  ///< mpirun of Open MPI: speaks PMIx
  mpich,     ///< mpirun of MPICH and its kin: speaks PMI
  pmix,      ///< srun --mpi=pmix, prun
  slurm      ///< srun without either
};

struct launcher {
  launcher_kind kind = launcher_kind::none;
  int ranks = 0;     ///< that it started together; 0: it does not say
  std::string name;  ///< for people: "mpirun of Open MPI"
};

/// Set by every rank when it has joined its job, so that what it starts is a job of its own, whatever else the launcher left in
/// the environment.
inline constexpr const char* joined_variable = "ARMILLA_INTERNAL_JOINED";

/// Which launcher started this process. Variables that the process has set itself do not count: MPI_Init sets such ones where no
/// launcher started it.
launcher find_launcher();
/// The same, for a process that was started with these variables, each ended by a zero; empty: they are not known, and all count.
launcher find_launcher(const std::string& at_start);

/// A launcher's variable that this process has set itself: nothing that it starts shall take it for a sign.
bool is_own_sign(std::string_view name);

}  // namespace armilla::detail
