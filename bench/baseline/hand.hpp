// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "bench/harness/row.hpp"

namespace bench::hand {

void add_messages(row_table& rows);
void add_algorithms(row_table& rows);
void add_sorts(row_table& rows);
void add_compactions(row_table& rows);
void add_communities(row_table& rows);
void add_containers(row_table& rows);
void add_graphs(row_table& rows);
void add_local_tables(row_table& rows);
void add_memory(row_table& rows);
void add_updates(row_table& rows);
void add_em3d(row_table& rows);
void add_threads(row_table& rows);
void add_joins(row_table& rows);
void add_by_keys(row_table& rows);
// Where what they take is installed:
void add_abseil(row_table& rows);
void add_boost_fiber(row_table& rows);
void add_gemm(row_table& rows);
void add_gnu_orders(row_table& rows);
void add_graphblas(row_table& rows);
void add_tbb(row_table& rows);

/// The worker of hand-written shared-memory baselines: forks the other ranks, pins each to its core, serves.
int work(const std::string& coordinator, int ranks);

}  // namespace bench::hand
