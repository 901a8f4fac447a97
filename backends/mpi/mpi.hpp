// SPDX-License-Identifier: Apache-2.0
#pragma once
// MPI's C interface alone: the C++ one is gone from the standard, and its symbols from some libraries.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <string>

namespace armilla::mpi {

/// What this plug-in was compiled for, as its library calls itself.
#if defined(OPEN_MPI)
inline constexpr const char* built_for = "Open MPI";
#elif defined(MPICH_VERSION)
inline constexpr const char* built_for = "MPICH";
#else
inline constexpr const char* built_for = "";  // whatever it is, it is the only one here
#endif

/// What MPI says to this code, with the call that gave it: "MPI_Isend: MPI_ERR_RANK: invalid rank".
std::string text_of(const char* call, int code);

}  // namespace armilla::mpi
