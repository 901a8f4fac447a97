// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace papers {

/// All ranks of MPI. See measure.hpp.
struct mpi_job {
  int rank() const {
    int r = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &r);
    return r;
  }
  int ranks() const {
    int n = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    return n;
  }
  std::string by() const { return "mpi"; }
  std::string fabric() const {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(text, &length);
    return std::string(text, std::size_t(length)).find("Open MPI") != std::string::npos ? "openmpi" : "mpich";
  }
  void barrier() const { MPI_Barrier(MPI_COMM_WORLD); }
  double greatest(double x) const {
    MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return x;
  }
};

/// Runs `f` on every rank between MPI_Init and MPI_Finalize. Returns what it returns, if that is a code; what it throws ends the
/// job with code 1.
template <class F>
int run_mpi(const char* program, F&& f) {
  MPI_Init(nullptr, nullptr);
  int code = 0;
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<F&>>)
      f();
    else
      code = f();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s, rank %d: %s\n", program, mpi_job{}.rank(), e.what());
    MPI_Abort(MPI_COMM_WORLD, dynamic_cast<const std::invalid_argument*>(&e) != nullptr ? 2 : 1);
  }
  MPI_Finalize();
  return code;
}

}  // namespace papers
