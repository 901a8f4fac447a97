// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench/harness/row.hpp"

namespace bench::suites {

void add_micro(row_table& rows);
void add_aggregate(row_table& rows);
void add_collective(row_table& rows);
void add_algorithms(row_table& rows);
void add_orders(row_table& rows);
void add_by_keys(row_table& rows);
void add_matrices(row_table& rows);
void add_equations(row_table& rows);
void add_containers(row_table& rows);
void add_footprint(row_table& rows);
void add_graph_algorithms(row_table& rows);
void add_memory(row_table& rows);
void add_prk(row_table& rows);
void add_transfers(row_table& rows);
void add_em3d(row_table& rows);
void add_graph(row_table& rows);
void add_fiber(row_table& rows);
void add_grain(row_table& rows);
void add_mrpc(row_table& rows);
void add_mrpc_calls(row_table& rows);
void add_attention(row_table& rows);
void add_network(row_table& rows);
void add_keep(row_table& rows);
void add_mm(row_table& rows);  ///< where OpenBLAS is installed

/// The Armilla worker: every rank of the job serves the coordinator named in the arguments.
int work(int argc, char** argv);

/// The same for a job whose other ranks run armilla-bench-peer: suite mrpc between programs.
int work_of_programs(int argc, char** argv);

/// A rank of a job that suite loss ends: armilla-bench --mortal FILE VICTIM.
int be_mortal(int argc, char** argv);

}  // namespace bench::suites
