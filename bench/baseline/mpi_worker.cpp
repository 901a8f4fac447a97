// SPDX-License-Identifier: Apache-2.0
// armilla-bench-mpi COORDINATOR: the worker of the rows hand-written for MPI.
#include <mpi.h>

#include <cstdio>
#include <exception>

#include "bench/baseline/mpi.hpp"
#include "bench/harness/worker.hpp"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  bench::row_table rows;
  bench::mpi::add_algorithms(rows);
  bench::mpi::add_containers(rows);
  bench::mpi::add_matrices(rows);
  bench::mpi::add_equations(rows);
  bench::mpi::add_prk(rows);
  bench::mpi::add_messages(rows);
  bench::mpi::add_one_sided(rows);
  bench::mpi::add_updates(rows);
  bench::mpi::add_em3d(rows);
  bench::mpi::add_graph(rows);
  bench::mpi::add_grain(rows);
  bench::mpi::add_two_way_calls(rows);
  bench::mpi::add_ring(rows);
  try {
    if (argc != 2) throw std::runtime_error("started by armilla-bench only");
    bench::pin(rank);
    bench::serve(argv[1], rank, ranks, rows);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "armilla-bench-mpi, rank %d: %s\n", rank, e.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
