// SPDX-License-Identifier: Apache-2.0
#include "backends/mpi/launched.hpp"

#include <fcntl.h>
#include <sched.h>

#include <climits>
#include <cstdlib>

namespace armilla::mpi {

launched_job::launched_job(const started& s) : started_(s), name_(library_name() + (s.ours ? "" : ", begun by the program")) {
  if (const int code = MPI_Comm_dup(MPI_COMM_WORLD, &all_); code != MPI_SUCCESS) {
    error_ = text_of("MPI_Comm_dup", code);
    return;
  }
  MPI_Comm_set_errhandler(all_, MPI_ERRORS_RETURN);
}

/// A collective that was begun with this code is over.
bool launched_job::finished(const char* call, int code, MPI_Request& request) {
  for (int tries = 0, done = 0; code == MPI_SUCCESS && done == 0; ++tries) {
    code = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0 && tries > 200) sched_yield();
  }
  if (code != MPI_SUCCESS) error_ = text_of(call, code);
  return code == MPI_SUCCESS;
}

bool launched_job::exchange(const void* mine, void* all, std::size_t bytes) {
  if (bytes > INT_MAX) {
    error_ = "an exchange of " + std::to_string(bytes) + " bytes a rank: MPI takes at most " + std::to_string(INT_MAX);
    return false;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Iallgather(mine, int(bytes), MPI_BYTE, all, int(bytes), MPI_BYTE, all_, &request);
  return finished("MPI_Iallgather", code, request);
}

bool launched_job::meet() {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = MPI_Ibarrier(all_, &request);
  return finished("MPI_Ibarrier", code, request);
}

void launched_job::abort(int code) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) MPI_Abort(MPI_COMM_WORLD, code);
  std::_Exit(code);
}

// MPICH's launcher is at the other end of what it named; of Open MPI's PMIx tells.
int launched_job::lifeline() noexcept {
#if defined(MPICH_VERSION)
  const char* const number = std::getenv("PMI_FD");
  return number != nullptr ? fcntl(std::atoi(number), F_DUPFD_CLOEXEC, 3) : -1;
#else
  return -1;
#endif
}

void launched_job::finish() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && all_ != MPI_COMM_NULL) MPI_Comm_free(&all_);
  all_ = MPI_COMM_NULL;
  stop(started_);
}

}  // namespace armilla::mpi
