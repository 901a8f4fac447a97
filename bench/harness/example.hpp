// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "bench/harness/job.hpp"

namespace bench {

/// Milliseconds of the main part of a whole program of `examples/`, as it says itself: `row`, or, by MPI, `row_mpi`.
/// Its input of `size` is made once and lies in /tmp while this program runs. Throws if the program finds that its result is
/// wrong.
double example_ms(const job_options& options, const std::string& row, long size);

std::string example_program(const std::string& row);

/// What starts a program of MPI; pinned where each rank has a core.
std::string example_launcher(int ranks);

}  // namespace bench
