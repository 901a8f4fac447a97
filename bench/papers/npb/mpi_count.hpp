// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench/papers/common/mpi_job.hpp"
#include "bench/papers/common/record.hpp"

namespace npb {

/// Which of MPI's functions the program calls, and how many bytes it gives them to send to other ranks: by the profiling
/// interface of MPI, between `begin` and `end`. A function that a program of this folder does not use is not counted.
class mpi_count {
 public:
  void begin();
  void end();
  /// The mean of all ranks: {"Send": 1200, ..., "bytes": ...}. Collective.
  papers::json each(const papers::mpi_job& job) const;
};

}  // namespace npb
