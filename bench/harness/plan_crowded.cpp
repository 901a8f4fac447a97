// SPDX-License-Identifier: Apache-2.0
// Suite crowded: more ranks than cores do what two ranks do, which is the baseline; and they wait beside strangers.
#include <utility>

#include "bench/harness/plan.hpp"

namespace bench {
namespace {

/// Calls of ranks that have a core each, or outnumber the cores, alone and beside strangers. Rows warm up, so that what is timed
/// begins behind the first choice between yields and sleeps.
void add_beside_strangers(std::vector<spec>& t) {
  using enum worker_kind;
  for (const int strangers : {0, 1, 2, 4})
    t.push_back({.name = "call_2on2_beside_" + std::to_string(strangers),
                 .suite = "crowded",
                 .row = "call_turns_median",
                 .iterations = 200'000,
                 .limit_value = 300,
                 .limit_spread = 2,
                 .ranks = 2,
                 .runs = 9,
                 .strangers = strangers});
  for (const int ranks : {4, 8})
    for (const int strangers : {0, 1, 2, 4}) {
      const auto add = [&](const std::string& row, double limit_ns, std::vector<baseline> beside) {
        t.push_back({.name = row + "_" + std::to_string(ranks) + "on2_beside_" + std::to_string(strangers),
                     .suite = "crowded",
                     .row = row,
                     .iterations = 20'000 / (strangers == 0 ? 1 : 4),
                     .baselines = std::move(beside),
                     .limit_value = limit_ns,
                     .limit_spread = row == "call_turns_p99" ? 0.0 : 2.0,
                     .ranks = ranks,
                     .runs = 9,
                     .strangers = strangers});
      };
      const double alone = strangers == 0 ? (ranks == 4 ? 3000 : 5000) : 0;
      const long few = strangers == 0 ? 0 : 200;  // each may take a tick
      const double of_before = strangers == 0 ? 1.05 : 0.1;
      add("call_turns", alone, {{mpi, "mpi_turns", 1.0, few}, {yielding, "call_turns", of_before, few}});
      add("call_ring", alone, {{mpi, "mpi_ring", 1.0, few}, {yielding, "call_ring", of_before, few}});
      add("pipeline_counter", 0, {{yielding, "pipeline_counter", of_before, few}});
      add("pipeline_one_way_call", 0, {{yielding, "pipeline_one_way_call", of_before, few}});
      if (strangers > 0) add("call_turns_p99", strangers == 1 ? 1e6 : 5e6, {});
    }
  const auto program = [&](const std::string& row, const char* unit, long size, long iterations, worker_kind worker,
                           const baseline& twin) {
    t.push_back({.name = row + "_4on2_beside_2",
                 .suite = "crowded",
                 .row = row,
                 .unit = unit,
                 .size = size,
                 .iterations = iterations,
                 .baselines = {twin},
                 .ranks = 4,
                 .runs = 5,
                 .worker = worker,
                 .strangers = 2});
  };
  program("em3d_base", "ns/edge", 40, 4, by_message, {mpi, "mpi_em3d_base", 1.0});  // a call for each value of another rank
  program("jacobi", "ms", 20, 1, example, {example_mpi, "jacobi_mpi", 1.0});
}

/// Two jobs of two ranks, each of which has half of the cores' time: 0.45 of what one has alone, at least.
void add_pairs(std::vector<spec>& t) {
  const auto row = [&](const std::string& name, long size, long iterations) {
    t.push_back({.name = name + "_2on2_beside_a_job",
                 .suite = "crowded",
                 .row = name,
                 .size = size,
                 .iterations = iterations,
                 .baselines = {{worker_kind::armilla, name, 1 / 0.45}},
                 .ranks = 2,
                 .runs = 9,
                 .worker = worker_kind::pair});
  };
  row("call_turns", 0, 200'000);
  row("barrier", 0, 200'000);
  row("reduce", 10'000'000, 10);
}

/// Beside what takes memory and starts and ends processes, as a compiler does.
void add_beside_compilers(std::vector<spec>& t) {
  for (const int ranks : {2, 4})
    t.push_back({.name = "call_turns_" + std::to_string(ranks) + "on2_beside_2_compilers",
                 .suite = "crowded",
                 .row = "call_turns",
                 .iterations = ranks == 2 ? 200'000 : 2000,
                 .limit_spread = 2,
                 .ranks = ranks,
                 .runs = 9,
                 .strangers = 2,
                 .beside = stranger_kind::compiles});
}

}  // namespace

void add_crowded(std::vector<spec>& t) {
  add_beside_strangers(t);
  add_beside_compilers(t);
  add_pairs(t);
  t.push_back(
      {.name = "idle_job_4on2", .suite = "crowded", .row = "idle_job", .unit = "%", .limit_value = 0.1, .ranks = 5, .runs = 5});
  constexpr long million = 1'000'000;
  for (const int ranks : {4, 8}) {
    const auto row = [&](const std::string& name, long size, long iterations) {
      t.push_back({.name = name + "_" + std::to_string(ranks) + "on2",
                   .suite = "crowded",
                   .row = name,
                   .size = size,
                   .iterations = iterations,
                   .baselines = {{.worker = worker_kind::armilla, .row = name, .limit = 1.5, .ranks = 2}},
                   .ranks = ranks,
                   .runs = 5});
    };
    row("for_each", 10 * million, 4);
    row("reduce", 10 * million, 4);
    row("inclusive_scan", 10 * million, 4);
    row("sort", 1 << 24, 2);
    row("copy_if", 10 * million, 4);
    row("merge", 10 * million, 4);
    row("map_update", million, 2 * million);
    row("map_find", million, 2 * million);
    row("ordered_insert", million, million / 4);
    row("queue", 0, million);
    row("work_queue", 20'000, 1);
    row("bag", 0, 2 * million);
    row("list", 0, million);
    row("disjoint_set", million, million);
    row("push_back", 0, 4 * million);
    row("texts_reduce", 0, million / 2);
    row("stable_sort", 1 << 22, 2);
    row("set_union", 10 * million, 4);
    row("partition_copy", 10 * million, 4);
    row("join", 1 << 22, 2);
    row("reduce_by_key_100k", 1 << 22, 2);
    row("summaries_by_key_10m", 1 << 22, 2);
    row("stencil", 2048, 20);
    row("transpose", 2048, 10);
    row("gemm", 1024, 2);
    row("cg_poisson", 250'000, 50);
    row("graph_bfs", 1 << 18, 3);
    row("graph_pagerank", 1 << 18, 3);
  }
}

}  // namespace bench
