// SPDX-License-Identifier: Apache-2.0
// The clock of a program of MPI on the simulated cluster; the linker takes it in place of the processor's.
#include <mpi.h>

#include "bench/papers/common/clock.hpp"

double papers::seconds_now() { return MPI_Wtime(); }
