// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/plan.hpp"

namespace bench {
namespace {

constexpr worker_kind armilla = worker_kind::armilla, mpi = worker_kind::mpi, hand = worker_kind::hand;
constexpr long updates_a_rank = 10'000'000;

using table = std::vector<spec>;

void add_micro(table& t) {
  const baseline plain_ring{hand, "hand_ring_rtt"}, mpi_trip{mpi, "mpi_rtt"};
  t.push_back({.name = "am_rtt",
               .suite = "micro",
               .row = "am_rtt",
               .iterations = 3000,
               .baselines = {plain_ring, mpi_trip},
               .limit_x = 1.55});
  t.push_back({.name = "call_empty",
               .suite = "micro",
               .row = "call_empty",
               .iterations = 3000,
               .baselines = {{mpi, "mpi_rtt", 0.7}, {hand, "hand_ring_rtt", 1.05}},
               .limit_x = 1.65});
  t.push_back({.name = "call_empty_traced",
               .suite = "micro",
               .row = "call_empty",
               .iterations = 3000,
               .baselines = {{armilla, "call_empty", 1.5}},
               .worker = worker_kind::traced});
  t.push_back({.name = "trace_event",
               .suite = "micro",
               .row = "trace_event",
               .iterations = 100'000,
               .limit_value = 15,
               .worker = worker_kind::traced});
  t.push_back({.name = "call_struct32", .suite = "micro", .row = "call_struct32", .iterations = 3000, .limit_x = 1.75});
  t.push_back({.name = "call_vec20", .suite = "micro", .row = "call_vec20", .iterations = 3000, .limit_x = 2.3});
  t.push_back({.name = "call_vec20_both", .suite = "micro", .row = "call_vec20_both", .iterations = 3000, .limit_x = 2.9});
  t.push_back({.name = "async_oneway",
               .suite = "micro",
               .row = "async_oneway",
               .iterations = 200'000,
               .baselines = {{hand, "hand_ring_oneway", 1.4}},
               .limit_x = 0.10});
  t.push_back(
      {.name = "call_empty_4on2", .suite = "micro", .row = "call_empty", .iterations = 300, .limit_value = 5000, .ranks = 4});
  t.push_back(
      {.name = "call_empty_8on2", .suite = "micro", .row = "call_empty", .iterations = 200, .limit_value = 10'000, .ranks = 8});
  // One rank asks while the others sleep in a barrier; and all ask their neighbours at once.
  t.push_back(
      {.name = "call_ring_4on2", .suite = "micro", .row = "call_ring", .iterations = 300, .limit_value = 5000, .ranks = 4});
  t.push_back(
      {.name = "call_ring_8on2", .suite = "micro", .row = "call_ring", .iterations = 200, .limit_value = 10'000, .ranks = 8});
  t.push_back({.name = "idle_cpu",
               .suite = "micro",
               .row = "idle_cpu",
               .unit = "%",
               .iterations = 1,
               .limit_value = 3,
               .ranks = 5,
               .runs = 5});
  t.push_back({.name = "compile",
               .suite = "micro",
               .row = "compile_armilla",
               .unit = "s",
               .baselines = {{worker_kind::compiler, "compile_std", 2.0}},
               .runs = 10,
               .worker = worker_kind::compiler});
}

void add_aggregate(table& t) {
  t.push_back(
      {.name = "async_oneway_agg", .suite = "aggregate", .row = "async_oneway_agg", .iterations = 1'000'000, .limit_x = 0.04});
  t.push_back({.name = "histogram_async",
               .suite = "aggregate",
               .row = "histogram_async",
               .unit = "ns/update",
               .iterations = updates_a_rank,
               .baselines = {{mpi, "mpi_histogram", 1.0}, {hand, "hand_histogram_blocks", 1.7}},
               .runs = 11});
  t.push_back({.name = "histogram_async_2_16",  // a table of 2^16 words over two ranks
               .suite = "aggregate",
               .row = "histogram_async",
               .unit = "ns/update",
               .size = 1 << 15,
               .iterations = updates_a_rank,
               .baselines = {{mpi, "mpi_histogram", 1.3}, {hand, "hand_histogram_blocks"}},
               .runs = 11});
  t.push_back({.name = "histogram_atomic",
               .suite = "aggregate",
               .row = "histogram_atomic",
               .unit = "ns/update",
               .iterations = updates_a_rank,
               .baselines = {{hand, "hand_histogram_atomics", 1.1}},
               .runs = 11});
  t.push_back({.name = "histogram_atomic_places",
               .suite = "aggregate",
               .row = "histogram_atomic_places",
               .unit = "ns/update",
               .iterations = updates_a_rank,
               .baselines = {{hand, "hand_histogram_atomics", 1.2}},
               .runs = 11});
  t.push_back({.name = "scatter_add",
               .suite = "aggregate",
               .row = "scatter_add",
               .unit = "ns/update",
               .iterations = updates_a_rank,
               .baselines = {{hand, "hand_histogram_blocks", 1.2}, {hand, "hand_histogram_atomics"}, {mpi, "mpi_histogram", 1.0}},
               .runs = 11});
  t.push_back({.name = "index_gather",
               .suite = "aggregate",
               .row = "index_gather",
               .unit = "ns/read",
               .iterations = updates_a_rank,
               .baselines = {{mpi, "mpi_index_gather", 1.3}},
               .limit_value = 40,
               .runs = 11});
}

void add_collective(table& t) {
  t.push_back({.name = "barrier",
               .suite = "collective",
               .row = "barrier",
               .iterations = 3000,
               .baselines = {{mpi, "mpi_barrier", 0.6},
                             {hand, "hand_spin_barrier"},
                             {hand, "hand_std_barrier"},
                             {hand, "hand_pthread_barrier", 0, 100}}});
  t.push_back({.name = "fence_idle",
               .suite = "collective",
               .row = "fence_idle",
               .iterations = 3000,
               .baselines = {{mpi, "mpi_barrier", 1.3}}});
  t.push_back({.name = "fence_busy",
               .suite = "collective",
               .row = "fence_busy",
               .iterations = 3000,
               .baselines = {{mpi, "mpi_barrier", 3.0}}});
  t.push_back({.name = "reduce",
               .suite = "collective",
               .row = "reduce_all",
               .iterations = 3000,
               .baselines = {{mpi, "mpi_allreduce", 0.7}}});
  t.push_back({.name = "reduce_root",
               .suite = "collective",
               .row = "reduce_root",
               .iterations = 3000,
               .baselines = {{mpi, "mpi_reduce", 0.7}}});
  for (const long size : {64, 512, 4096, 32'768, 800'000}) {
    const long iterations = size <= 4096 ? 1000 : size <= 32'768 ? 200 : 20;
    t.push_back({.name = "reduce_array_" + std::to_string(size),
                 .suite = "collective",
                 .row = "reduce_array",
                 .size = size,
                 .iterations = iterations,
                 .baselines = {{mpi, "mpi_reduce_array", 1.0}}});
    t.push_back({.name = "all_reduce_array_" + std::to_string(size),
                 .suite = "collective",
                 .row = "all_reduce_array",
                 .size = size,
                 .iterations = iterations,
                 .baselines = {{mpi, "mpi_allreduce_array", 1.0}}});
  }
  for (const int ranks : {4, 8})
    t.push_back({.name = "reduce_array_64_" + std::to_string(ranks) + "on2",
                 .suite = "collective",
                 .row = "reduce_array",
                 .size = 64,
                 .iterations = 200,
                 .baselines = {{mpi, "mpi_reduce_array", 1.0}},
                 .ranks = ranks});
  for (const long size : {8, 64, 512, 4096, 16384, 65536})
    t.push_back({.name = "alltoall_" + std::to_string(size),
                 .suite = "collective",
                 .row = "alltoall",
                 .size = size,
                 .iterations = size <= 4096 ? 1000 : 200,
                 .baselines = {{mpi, "mpi_alltoall", 1.0}},
                 .runs = 15});
  t.push_back(
      {.name = "barrier_4on2", .suite = "collective", .row = "barrier", .iterations = 300, .limit_value = 4000, .ranks = 4});
  t.push_back(
      {.name = "barrier_8on2", .suite = "collective", .row = "barrier", .iterations = 200, .limit_value = 9000, .ranks = 8});
}

void add_memory(table& t) {
  t.push_back({.name = "deref_read",
               .suite = "memory",
               .row = "deref_read",
               .iterations = 200'000,
               .baselines = {{hand, "hand_load"}, {mpi, "mpi_get", 0, 20'000}},
               .limit_value = 3});
  t.push_back({.name = "deref_write",
               .suite = "memory",
               .row = "deref_write",
               .iterations = 200'000,
               .baselines = {{hand, "hand_store"}, {mpi, "mpi_put", 0, 20'000}},
               .limit_value = 3});
  t.push_back({.name = "atomic_add",
               .suite = "memory",
               .row = "atomic_add",
               .iterations = 200'000,
               .baselines = {{hand, "hand_atomic_add"}, {mpi, "mpi_fetch_and_op", 0, 20'000}},
               .limit_value = 4});
  // Times, so ">= 0.95 of memcpy" reads "<= 1 / 0.95 of its time".
  t.push_back({.name = "put_64k",
               .suite = "memory",
               .row = "put",
               .size = 65536,
               .iterations = 1000,
               .baselines = {{armilla, "memcpy", 1 / 0.95}, {mpi, "mpi_put_bulk"}}});
  t.push_back({.name = "put_1m",
               .suite = "memory",
               .row = "put",
               .size = 1 << 20,
               .iterations = 60,
               .baselines = {{armilla, "memcpy", 1 / 0.95}, {mpi, "mpi_put_bulk"}}});
  t.push_back({.name = "arg_1m",
               .suite = "memory",
               .row = "arg_vector",
               .size = 1 << 20,
               .iterations = 60,
               .baselines = {{armilla, "memcpy", 2.3}}});
  t.push_back({.name = "result_1m",
               .suite = "memory",
               .row = "result_segment",
               .size = 1 << 20,
               .iterations = 60,
               .baselines = {{armilla, "memcpy", 1.3}}});
  t.push_back({.name = "result_1m_private",
               .suite = "memory",
               .row = "result_private",
               .size = 1 << 20,
               .iterations = 60,
               .baselines = {{armilla, "memcpy", 2.0}}});
  t.push_back({.name = "view_1m",
               .suite = "memory",
               .row = "view_sum",
               .size = 1 << 20,
               .iterations = 60,
               .baselines = {{armilla, "memcpy_sum", 1.3}}});
  for (const long size : {16, 256, 4096}) {
    const std::string bytes = std::to_string(size);
    t.push_back({.name = "put_stream_" + bytes,
                 .suite = "memory",
                 .row = "put_stream",
                 .size = size,
                 .iterations = 19'200,
                 .baselines = {{mpi, "mpi_stream", 1.0}, {armilla, "one_way_call_stream"}}});
    t.push_back({.name = "put_ping_" + bytes,
                 .suite = "memory",
                 .row = "put_ping",
                 .size = size,
                 .iterations = 3000,
                 .baselines = {{mpi, "mpi_ping", 1.0}, {armilla, "one_way_call_ping"}}});
  }
  const auto per_element = [&t](const std::string& row, long size, long iterations, const baseline& by_hand) {
    t.push_back({.name = row + "_" + std::to_string(size),
                 .suite = "memory",
                 .row = row,
                 .unit = "ns/element",
                 .size = size,
                 .iterations = iterations,
                 .baselines = {by_hand}});
  };
  for (const long size : {16, 64, 512})
    per_element("get_transposed", size, 5'000'000 / (size * size), {armilla, "pack_transposed", 1.1});
  per_element("get_column", 512, 2000, {armilla, "pack_column", 1.1});
  per_element("spread_blocks", 48, 100, {armilla, "divided_blocks", 1.0});
}

void add_em3d(table& t) {
  for (const char* version : {"base", "ghost", "bulk"})
    for (const long percent : {10, 40, 70, 100}) {
      const std::string row = std::string("em3d_") + version;
      const double limit = row != "em3d_base" ? 1.0 : percent == 10 ? 0.4 : 0.25;
      t.push_back({.name = row + "_" + std::to_string(percent),
                   .suite = "em3d",
                   .row = row,
                   .unit = "ns/edge",
                   .size = percent,
                   .iterations = 300,
                   .baselines = {{mpi, "mpi_" + row, limit}, {hand, "hand_em3d_loads"}},
                   .runs = 11});
    }
}

void add_graph(table& t) {
  for (const char* row : {"bfs", "pagerank", "components"})
    t.push_back({.name = row,
                 .suite = "graph",
                 .row = row,
                 .unit = "ns/edge",
                 .iterations = 1,
                 .baselines = {{mpi, std::string("mpi_") + row}},
                 .runs = 11});
}

/// The hand-written rows by themselves, to see whether they reach what is known of this machine.
void add_baselines(table& t) {
  const auto plain = [&](worker_kind who, const char* row, long iterations, long size = 0, const char* unit = "ns") {
    const std::string name = size == 0 ? row : row + ("_" + std::to_string(size));
    t.push_back({.name = name,
                 .suite = "baseline",
                 .row = row,
                 .unit = unit,
                 .size = size,
                 .iterations = iterations,
                 .runs = 11,
                 .worker = who});
  };
  plain(hand, "hand_line", 1);
  plain(hand, "hand_ring_rtt", 3000);
  plain(hand, "hand_ring_oneway", 200'000);
  plain(hand, "hand_spin_barrier", 3000);
  plain(hand, "hand_std_barrier", 3000);
  plain(hand, "hand_pthread_barrier", 300);
  plain(hand, "hand_load", 200'000);
  plain(hand, "hand_store", 200'000);
  plain(hand, "hand_atomic_add", 200'000);
  plain(hand, "hand_memcpy", 1000, 65536);
  plain(hand, "hand_memcpy", 60, 1 << 20);
  plain(hand, "hand_histogram_blocks", updates_a_rank, 0, "ns/update");
  plain(hand, "hand_histogram_atomics", updates_a_rank, 0, "ns/update");
  for (const char* row : {"mpi_rtt", "mpi_barrier", "mpi_reduce", "mpi_allreduce"}) plain(mpi, row, 3000);
  for (const char* row : {"mpi_get", "mpi_put", "mpi_fetch_and_op"}) plain(mpi, row, 20'000);
  for (const long size : {8, 4096, 65536}) plain(mpi, "mpi_alltoall", 300, size);
  plain(mpi, "mpi_histogram", updates_a_rank, 0, "ns/update");
  plain(mpi, "mpi_index_gather", updates_a_rank, 0, "ns/read");
  for (const char* row : {"mpi_em3d_base", "mpi_em3d_ghost", "mpi_em3d_bulk"})
    for (const long percent : {10, 40, 70, 100}) plain(mpi, row, 300, percent, "ns/edge");
  for (const char* row : {"mpi_bfs", "mpi_pagerank", "mpi_components"}) plain(mpi, row, 1, 0, "ns/edge");
  for (const long percent : {10, 100}) plain(hand, "hand_em3d_loads", 300, percent, "ns/edge");
}

}  // namespace

std::vector<spec> plan() {
  table t;
  add_micro(t);
  add_aggregate(t);
  add_collective(t);
  add_memory(t);
  add_em3d(t);
  add_graph(t);
  add_algorithms(t);
  add_containers(t);
  add_graphs(t);
  add_programs(t);
  add_orders(t);
  add_matrices(t);
  add_prk(t);
  add_crowded(t);
  add_fiber(t);
  add_grain(t);
  add_mrpc(t);
  add_network(t);
  add_loss(t);
  add_growth(t);
  add_baselines(t);
  std::erase_if(t, [](const spec& s) {
    return s.suite != "network" && s.suite != "loss" && s.suite != "programs" && !missing(s.worker).empty();
  });
  for (spec& s : t) std::erase_if(s.baselines, [](const baseline& b) { return !missing(b.worker).empty(); });
  return t;
}

}  // namespace bench
