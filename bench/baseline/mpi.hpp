// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "bench/harness/row.hpp"

namespace bench::mpi {

void add_algorithms(row_table& rows);
void add_containers(row_table& rows);
void add_matrices(row_table& rows);
void add_equations(row_table& rows);
void add_prk(row_table& rows);
void add_messages(row_table& rows);
void add_one_sided(row_table& rows);
void add_updates(row_table& rows);
void add_em3d(row_table& rows);
void add_graph(row_table& rows);
void add_grain(row_table& rows);
void add_ring(row_table& rows);
void add_two_way_calls(row_table& rows);

}  // namespace bench::mpi
