// SPDX-License-Identifier: Apache-2.0
// Suite programs: the examples that have a twin by MPI, as both are built for users; and, for
// word_count, two threads. Times are of the main part, as they say.
#include "bench/harness/plan.hpp"

namespace bench {

void add_programs(std::vector<spec>& t) {
  const auto example = [&](const char* name, long size, double limit, double alone = 0) {
    t.push_back({.name = std::string("program_") + name,
                 .suite = "programs",
                 .row = name,
                 .unit = "ms",
                 .size = size,
                 .iterations = 1,
                 .baselines = {{worker_kind::example_mpi, std::string(name) + "_mpi", limit}},
                 .ranks = 2,
                 .runs = 7,
                 .worker = worker_kind::example});
    if (alone > 0) t.back().baselines.push_back({.worker = worker_kind::example, .row = name, .limit = alone, .ranks = 1});
  };
  example("jacobi", 200, 1.0);
  example("cg", 300, 0.9);
  example("word_count", 200'000'000, 1.1, 0.6);
  t.back().baselines.push_back({worker_kind::example, "word_count_threads", 1.1});
  example("kmers", 50'000'000, 1.2);
  example("join", 1'000'000, 1.0);
  example("life", 512, 1.0);
  example("histogram", 10'000'000, 1.0);
  example("sort_file", 1000, 1.0);  // megabytes
  t.back().quick_size = 100;
  example("farm", 600, 1.0);
  example("page_rank", 1 << 18, 1.0);
}

}  // namespace bench
