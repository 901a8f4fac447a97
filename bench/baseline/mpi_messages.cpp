// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include "bench/baseline/mpi.hpp"

namespace bench::mpi {
namespace {

double round_trip(row_context& c) {
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      if (c.rank == 0) {
        MPI_Send(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(nullptr, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      } else if (c.rank == 1) {
        MPI_Recv(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
      }
    }
  });
}

double barrier(row_context& c) {
  return time_per(c.iterations, [](long n) {
    for (long i = 0; i < n; ++i) MPI_Barrier(MPI_COMM_WORLD);
  });
}

double allreduce(row_context& c) {
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      const double mine = double(i + c.rank);
      double sum = 0;
      MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      verify(sum == double(c.ranks * i + c.ranks * (c.ranks - 1) / 2), "allreduce");
    }
  });
}

/// To rank 0 only, and rank 0's answer awaited by nobody: ranks run ahead of each other as far as MPI lets them.
double reduce(row_context& c) {
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      const double mine = double(i + c.rank);
      double sum = 0;
      MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
      if (c.rank == 0) verify(sum == double(c.ranks * i + c.ranks * (c.ranks - 1) / 2), "reduce");
    }
  });
}

double alltoall(row_context& c) {
  const std::size_t words = std::size_t(c.size) / 8, ranks = std::size_t(c.ranks);
  std::vector<std::uint64_t> out(words * ranks), in(words * ranks);
  for (std::size_t r = 0; r < ranks; ++r) std::fill_n(&out[r * words], words, std::uint64_t(c.rank) * 1000 + r);
  const double result = time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i)
      MPI_Alltoall(out.data(), int(c.size), MPI_BYTE, in.data(), int(c.size), MPI_BYTE, MPI_COMM_WORLD);
  });
  for (std::size_t r = 0; r < ranks; ++r) verify(in[r * words] == r * 1000 + std::uint64_t(c.rank), "alltoall");
  return result;
}

}  // namespace

void add_messages(row_table& rows) {
  rows.insert(rows.end(), {{"mpi_rtt", round_trip},
                           {"mpi_barrier", barrier},
                           {"mpi_allreduce", allreduce},
                           {"mpi_reduce", reduce},
                           {"mpi_alltoall", alltoall}});
}

}  // namespace bench::mpi
