// SPDX-License-Identifier: Apache-2.0
// Suite prk: the Parallel Research Kernels, beside MPI.
#include "bench/harness/plan.hpp"

namespace bench {

void add_prk(std::vector<spec>& t) {
  const auto kernel = [&](const std::string& name, long size, long quick_size, long iterations) {
    t.push_back({.name = "prk_" + name,
                 .suite = "prk",
                 .row = "prk_" + name,
                 .size = size,
                 .quick_size = quick_size,
                 .iterations = iterations,
                 .baselines = {{worker_kind::mpi, "mpi_prk_" + name, 1.0}},
                 .runs = 15});
  };
  kernel("nstream", 8'000'000, 100'000, 10);
  kernel("stencil", 1024, 64, 50);
  kernel("transpose", 1024, 64, 20);
  kernel("synch_p2p", 1024, 64, 20);
  kernel("random", 1 << 20, 1 << 10, 2'000'000);
  kernel("sparse", 9, 4, 20);
}

}  // namespace bench
