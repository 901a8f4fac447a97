// SPDX-License-Identifier: Apache-2.0
// Suite containers: a figure is of two operations, one of each of two ranks; with more ranks all together do as much.
#include "bench/harness/plan.hpp"

namespace bench {
namespace {

#ifdef ARMILLA_BENCH_ABSEIL
constexpr bool have_abseil = true;
#else
constexpr bool have_abseil = false;
#endif

/// The local tables alone, on one core.
void add_local_tables(std::vector<spec>& t) {
  constexpr long million = 1'000'000;
  const auto beside = [&](const char* row, const char* abseil, long size, long iterations) {
    t.push_back({.name = std::string("local_") + row,
                 .suite = "containers",
                 .row = row,
                 .size = size,
                 .iterations = iterations,
                 .runs = 7,
                 .worker = worker_kind::hand});
    if (have_abseil) t.back().baselines.push_back({worker_kind::hand, abseil, 1.0});
  };
  beside("table_update", "absl_hash_update", million, 10 * million);
  beside("table_update_zipf", "absl_hash_update_zipf", million, 5 * million);
  beside("table_insert", "absl_hash_insert", million, million);
  beside("table_find", "absl_hash_find", million, 5 * million);
  beside("table_find_zipf", "absl_hash_find_zipf", million, 5 * million);
  beside("tree_insert", "absl_btree_insert", million, million);
  beside("tree_find", "absl_btree_find", million, million);
}

}  // namespace

void add_containers(std::vector<spec>& t) {
  constexpr auto mpi = worker_kind::mpi, hand = worker_kind::hand;
  constexpr long million = 1'000'000;
  const auto beside = [&](const char* name, long size, long iterations, std::vector<baseline> baselines, double limit_value = 0) {
    t.push_back({.name = name,
                 .suite = "containers",
                 .row = name,
                 .size = size,
                 .iterations = iterations,
                 .baselines = std::move(baselines),
                 .limit_value = limit_value,
                 .runs = 7});
  };
  beside("map_update", million, 10 * million, {{mpi, "mpi_map_update", 1.2}, {hand, "table_update"}});
  beside("map_update_zipf", million, 5 * million, {{mpi, "mpi_map_update_zipf", 1.0}, {hand, "table_update_zipf"}});
  beside("map_insert", million, million, {{mpi, "mpi_map_insert", 1.2}, {hand, "table_insert"}});
  beside("map_find", million, 5 * million, {{mpi, "mpi_map_find", 1.2}, {hand, "table_find"}}, 40);
  beside("map_find_zipf", million, 5 * million, {{mpi, "mpi_map_find_zipf", 1.0}, {hand, "table_find_zipf"}}, 40);
  beside("multimap_insert", million / 4, million / 2, {{hand, "std_multimap_insert"}});
  beside("ordered_insert", million, million / 5, {{hand, "std_map_insert"}});
  beside("ordered_find", million, million / 5, {{hand, "std_map_find"}});
  beside("ordered_range", million, million / 5, {{hand, "std_map_range"}});
  beside("queue", 0, 2 * million, {{hand, "hand_queue", 1.5}});
  beside("queue_ranges", 0, 2 * million, {{hand, "hand_queue_ranges", 1.5}});
  beside("priority_queue", 0, million / 2, {{hand, "std_priority_queue"}});
  // Of these two a figure is of one number that all other ranks send to rank 0, beside one-way calls that nothing bounds.
  beside("remote_channel", 0, 2 * million, {{worker_kind::armilla, "async_to_one"}});
  beside("remote_channel_ranges", 0, 2 * million, {{worker_kind::armilla, "async_to_one"}});
  beside("work_queue", 20'000, 1, {{hand, "hand_work_stealing"}});
  beside("bag", 0, 2 * million, {{hand, "hand_bag", 1.5}});
  beside("list", 0, million, {{hand, "std_list"}});
  beside("bitmap", 1 << 24, 2 * million, {{hand, "hand_bitmap", 1.5}});
  beside("disjoint_set", million, million, {{hand, "hand_unite", 1.5}});
  beside("push_back", 0, 4 * million, {{hand, "hand_push_back"}});
  beside("texts_sort", 0, million / 4, {{hand, "std_sort_texts", 0.6}});
  beside("texts_reduce", 0, million / 2, {{hand, "hand_texts_reduce"}});
  add_local_tables(t);
}

}  // namespace bench
