// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/worker.hpp"

#include <armilla/armilla.hpp>

#include "bench/suites/suites.hpp"

namespace bench::suites {

int work(int argc, char** argv) {
  const std::string coordinator = argc > 2 ? argv[2] : "";
  return armilla::run(argc, argv, [&coordinator] {
    row_table rows;
    add_micro(rows);
    add_aggregate(rows);
    add_collective(rows);
    add_algorithms(rows);
    add_orders(rows);
    add_by_keys(rows);
    add_matrices(rows);
    add_equations(rows);
    add_prk(rows);
    add_containers(rows);
    add_footprint(rows);
    add_memory(rows);
    add_transfers(rows);
    add_em3d(rows);
    add_graph(rows);
    add_graph_algorithms(rows);
    add_fiber(rows);
    add_grain(rows);
    add_mrpc(rows);
    add_mrpc_calls(rows);
    add_attention(rows);
    add_network(rows);
    add_keep(rows);
#ifdef ARMILLA_BENCH_BLAS
    add_mm(rows);
#endif
    serve(coordinator, armilla::rank(), armilla::ranks(), rows);
  });
}

}  // namespace bench::suites
