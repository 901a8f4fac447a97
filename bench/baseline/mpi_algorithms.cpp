// SPDX-License-Identifier: Apache-2.0
// Short loops over a rank's own doubles, and the collective of MPI behind them.
#include <mpi.h>

#include <vector>

#include "bench/baseline/mpi.hpp"

namespace bench::mpi {
namespace {

[[gnu::noinline]] double sum_of(const double* p, std::size_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += p[i];
  return sum;
}

[[gnu::noinline]] void halve(double* p, std::size_t n) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) p[i] = p[i] * 0.5 + 1;
}

double reduce(row_context& c) {
  const std::vector<double> x(std::size_t(c.size / c.ranks), 1.0);
  MPI_Barrier(MPI_COMM_WORLD);
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      const double sum = sum_of(x.data(), x.size());
      double all = 0;
      MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      verify(all == double(c.size), "reduce");
    }
  });
}

double each(row_context& c) {
  std::vector<double> x(std::size_t(c.size / c.ranks), 1.0);
  MPI_Barrier(MPI_COMM_WORLD);
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      halve(x.data(), x.size());
      keep(x[0]);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  });
}

}  // namespace

void add_algorithms(row_table& rows) { rows.insert(rows.end(), {{"mpi_reduce_loop", reduce}, {"mpi_for_each_loop", each}}); }

}  // namespace bench::mpi
