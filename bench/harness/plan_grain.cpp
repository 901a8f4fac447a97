// SPDX-License-Identifier: Apache-2.0
// Suite grain: task graphs with one column and with four columns a rank, beside MPI.
#include "bench/harness/plan.hpp"

namespace bench {

void add_grain(std::vector<spec>& t) {
  const auto version = [&](const std::string& name, double limit) {
    for (const char* const pattern : {"stencil", "nearest", "spread", "fft", "tree", "random"})
      for (const long columns : {1, 4})
        t.push_back({.name = "grain_" + name + "_" + pattern + "_" + std::to_string(columns),
                     .suite = "grain",
                     .row = "grain_" + name + "_" + pattern,
                     .unit = "ns/task",
                     .size = columns,
                     .iterations = 500,
                     .baselines = {{worker_kind::mpi, std::string("mpi_grain_") + pattern, limit}},
                     .runs = 11});
  };
  version("bulk", 0.5);
  version("calls", 0.9);
  version("fibers", 0);
}

}  // namespace bench
