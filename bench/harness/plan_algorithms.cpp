// SPDX-License-Identifier: Apache-2.0
// Suite algorithms: over 40 M doubles beside pinned loops by hand, over 1,000 a rank beside such loops and MPI's collective.
#include <string>

#include "bench/harness/plan.hpp"

namespace bench {
namespace {

/// Two inputs of 16 Mi pairs, and sums of 16 Mi pairs: over ten million keys, a hundred thousand, a hundred, and Zipf's. Quick
/// runs have a quarter of the pairs, since Python makes them anew for each sample. The targets are on whichever library for
/// tables is quicker.
void add_by_keys(std::vector<spec>& t) {
  using enum worker_kind;
  t.push_back({.name = "join",
               .suite = "algorithms",
               .row = "join",
               .size = 1 << 24,
               .iterations = 4,
               .baselines = {{hand, "hand_join_sketch", 1.5}, {polars, "polars_join", 0.35, 1}, {duckdb, "duckdb_join", 0.35, 1}},
               .runs = 11});
  for (const std::string what : {"reduce_by_key", "summaries_by_key", "group_by"})
    for (const std::string some_keys : {"_10m", "_100k", "_100", "_zipf"}) {
      const std::string name = what + some_keys;
      t.push_back({.name = name,
                   .suite = "algorithms",
                   .row = name,
                   .size = 1 << 24,
                   .quick_size = 1 << 22,
                   .iterations = 1,
                   .baselines = {{hand, "hand_" + name}, {polars, "polars_" + name, 0.5}, {duckdb, "duckdb_" + name, 0.5}},
                   .runs = 7});
    }
}

}  // namespace

void add_algorithms(std::vector<spec>& t) {
  constexpr long large = 40'000'000, scanned = 64'000'000;
  const auto beside = [&](const char* name, const char* by_hand, double limit, long size) {
    t.push_back({.name = name,
                 .suite = "algorithms",
                 .row = name,
                 .size = size,
                 .iterations = 4,
                 .baselines = {{worker_kind::hand, by_hand, limit}},
                 .runs = 11});
  };
  beside("for_each", "hand_for_each", 1.03, large);
  beside("transform", "hand_transform", 1.03, large);
  beside("fill", "hand_fill", 1.03, large);
  beside("copy", "hand_copy", 1.03, large);
  beside("reduce", "hand_reduce", 1.03, large);
  beside("inner_product", "hand_inner_product", 1.03, large);
  beside("zip_borders", "hand_inner_product", 1.1, large);
  beside("find", "hand_find", 1.1, large);
  for (const std::string name : {"inclusive_scan", "inclusive_scan_int32", "copy_if", "unique_copy", "partition_copy"}) {
    beside(name.c_str(), ("hand_" + name).c_str(), 1.0, scanned);
    add_tbb_to(t.back(), 1.0);
  }
  add_by_keys(t);
  for (const char* const name : {"merge", "set_union", "set_intersection"})
    beside(name, (std::string("std_") + name).c_str(), 0.6, scanned);
  const auto small = [&](const char* name, const char* row, const char* by_mpi) {
    t.push_back({.name = name,
                 .suite = "algorithms",
                 .row = row,
                 .size = 2000,
                 .iterations = 5000,
                 .baselines = {{worker_kind::mpi, by_mpi, 1.3}},
                 .ranks = 2,
                 .runs = 21});
  };
  small("reduce_1000", "reduce", "mpi_reduce_loop");
  small("for_each_1000", "for_each", "mpi_for_each_loop");
  t.push_back({.name = "gemm",
               .suite = "algorithms",
               .row = "gemm",
               .size = 2048,
               .iterations = 2,
#ifdef ARMILLA_BENCH_BLAS
               .baselines = {{worker_kind::hand, "blas_gemm", 1.1}},
#endif
               .runs = 11});
  for (const char* const name : {"sort_memory", "sort_memory_skewed"})
    t.push_back({.name = name,
                 .suite = "algorithms",
                 .row = name,
                 .unit = "x the data",
                 .size = 1 << 27,
                 .iterations = 1,
                 .limit_value = 2.2,
                 .runs = 3,
                 .worker = worker_kind::fresh});
  t.push_back({.name = "index_read",
               .suite = "algorithms",
               .row = "index_read",
               .size = 4096,
               .iterations = 1'000'000,
               .baselines = {{worker_kind::hand, "hand_load"}},
               .limit_value = 3});
}

}  // namespace bench
