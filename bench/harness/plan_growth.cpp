// SPDX-License-Identifier: Apache-2.0
// Suite growth: how cost grows with the size on two ranks, and with the number of ranks on two cores, beside what is written by
// hand or in MPI. bench/growth draws it.
#include <algorithm>
#include <string>

#include "bench/harness/plan.hpp"

namespace bench {
namespace {

constexpr long million = 1'000'000;

/// One row at several sizes, each `step` times the one before; `work / size` iterations, at least one.
struct sizes {
  long first, last, step = 16;
  long work;
  long most = 3000;  ///< iterations
};

void add_sizes(std::vector<spec>& t, const std::string& row, const sizes& of, std::vector<baseline> baselines) {
  for (long size = of.first; size <= of.last; size *= of.step)
    t.push_back({.name = "growth_" + row + "_" + std::to_string(size),
                 .suite = "growth",
                 .row = row,
                 .size = size,
                 .iterations = std::clamp(of.work / size, 1L, of.most),
                 .baselines = baselines,
                 .ranks = 2,
                 .runs = size > 1 << 22 ? 3 : 7});
}

void add_ranks(std::vector<spec>& t, const std::string& row, const baseline& beside) {
  for (const int ranks : {2, 4, 8, 16, 32})
    t.push_back({.name = "growth_" + row + "_" + std::to_string(ranks) + "_ranks",
                 .suite = "growth",
                 .row = row,
                 .iterations = ranks == 2 ? 3000 : 1600 / ranks,
                 .baselines = {beside},
                 .ranks = ranks,
                 .runs = 7});
}

}  // namespace

void add_growth(std::vector<spec>& t) {
  constexpr auto mpi = worker_kind::mpi, hand = worker_kind::hand;
  add_sizes(t, "put", {.first = 16, .last = 1 << 24, .work = 1 << 26}, {{mpi, "mpi_put_bulk"}});
  add_sizes(t, "all_reduce_array", {.first = 16, .last = 1 << 20, .work = 1 << 24}, {{mpi, "mpi_allreduce_array"}});
  add_sizes(t, "alltoall", {.first = 16, .last = 1 << 20, .work = 1 << 24}, {{mpi, "mpi_alltoall"}});
  // Of these two the work is the same at each size, which is that of the table.
  add_sizes(t, "histogram_async", {.first = 1 << 10, .last = 1 << 26, .work = 1L << 50, .most = 2 * million},
            {{mpi, "mpi_histogram"}});
  add_sizes(t, "map_update", {.first = 1 << 8, .last = 1 << 24, .work = 1L << 50, .most = 2 * million},
            {{mpi, "mpi_map_update"}});
  add_sizes(t, "sort", {.first = 1 << 10, .last = 1 << 26, .work = 1 << 25}, {{hand, "hand_sort_sketch"}, {hand, "hand_vqsort"}});
  for (const std::string row : {"reduce_by_key_100k", "group_by_100k"})
    add_sizes(t, row, {.first = 1 << 12, .last = 1 << 24, .work = 1 << 23}, {{hand, "hand_" + row}});
  add_sizes(t, "graph_bfs", {.first = 1 << 8, .last = 1 << 20, .work = 1 << 20, .most = 100}, {{hand, "hand_bfs"}});
  add_sizes(t, "stencil", {.first = 16, .last = 4096, .step = 4, .work = 1 << 17}, {{mpi, "mpi_stencil"}});
  add_ranks(t, "call_ring", {mpi, "mpi_ring"});
  add_ranks(t, "barrier", {mpi, "mpi_barrier"});
  add_ranks(t, "fence_idle", {mpi, "mpi_barrier"});
  add_ranks(t, "reduce_all", {mpi, "mpi_allreduce"});
}

}  // namespace bench
