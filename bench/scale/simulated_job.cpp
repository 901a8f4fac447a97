// SPDX-License-Identifier: Apache-2.0
// A program for Armilla, unchanged, on the simulated cluster: what `run` and `run_main` call, and its clock. The linker takes
// these in place of the library's.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

#include "armilla/run.hpp"
#include "bench/papers/common/clock.hpp"
#include "bench/scale/simulated_rank.hpp"

namespace {

/// As the start of the job says.
double setting(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? 0 : std::atof(value);
}

}  // namespace

namespace armilla::detail {

int run_job(int argc, char** argv, rank_main call, const void* function, who_runs who) {
  MPI_Init(&argc, &argv);
  int code = 1;
  try {
    scale::simulated_rank here;
    scale::in_simulator::let_compute(setting("SCALE_SLOWER"));
    code = here.run(call, function, who);
  } catch (const std::exception& why) { std::fprintf(stderr, "simulated rank: %s\n", why.what()); }
  if (code != 0) MPI_Abort(MPI_COMM_WORLD, code);
  MPI_Finalize();
  return code;
}

}  // namespace armilla::detail

double papers::seconds_now() {
  const scale::in_simulator here;
  return MPI_Wtime();
}
