// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench/harness/row.hpp"

namespace bench::suites {

void add_micro(row_table& rows);
void add_aggregate(row_table& rows);
void add_collective(row_table& rows);
void add_memory(row_table& rows);
void add_em3d(row_table& rows);
void add_graph(row_table& rows);

/// The Armilla worker: every rank of the job serves the coordinator named in the arguments.
int work(int argc, char** argv);

}  // namespace bench::suites
