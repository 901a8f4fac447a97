// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "backends/mpi/mpi.hpp"

namespace armilla::mpi {

/// MPI in this process: begun by the user's program, which then also ends it, or by us.
struct started {
  std::string error;       ///< not empty: MPI cannot be used, and this is why
  bool ours = false;       ///< we began it and have to end it
  bool any_thread = true;  ///< one at a time, beside the program's own calls; false: the program began MPI for less
  int rank = 0;
  int ranks = 1;
};

/// Uses MPI if it has been initialised, or initialises it if a launcher of this MPI has started the process.
/// With MPI_THREAD_SERIALIZED: one thread at a time calls MPI, which may be a progress thread. A program that calls MPI from a
/// thread of its own initialises MPI itself; while a progress thread runs, with MPI_THREAD_MULTIPLE.
/// `one_thread`: no thread but this one will call it. Open MPI takes locks at every level but MPI_THREAD_SINGLE, so it gets that.
/// `ours`: an earlier call has initialised it.
started start(bool one_thread, bool ours = false);

/// Ends MPI if it was begun here and has not ended yet.
void stop(const started& s);

/// "4.1.4"
std::string library_version();
/// "Open MPI 4.1.4"
std::string library_name();

}  // namespace armilla::mpi
