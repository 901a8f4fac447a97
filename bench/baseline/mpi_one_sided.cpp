// SPDX-License-Identifier: Apache-2.0
#include "bench/baseline/mpi.hpp"
#include "bench/baseline/mpi_window.hpp"

namespace bench::mpi {
namespace {

constexpr long words = 1024;

/// Times `f(n, window)` on rank 0; the others wait in a barrier, as they must for RMA to be of any use.
template <class F>
double alone(row_context& c, std::size_t count, F&& f) {
  const window<long> w(count);
  for (std::size_t i = 0; i < count; ++i) w.data()[i] = long(i);
  MPI_Barrier(MPI_COMM_WORLD);
  const double result = c.rank == 0 ? time_per(c.iterations, [&](long n) { f(n, w.handle()); }) : 0.0;
  c.sync_sleeping();
  return result;
}

double get(row_context& c) {
  const int to = c.ranks - 1;
  return alone(c, words, [&](long n, MPI_Win w) {
    for (long i = 0; i < n; ++i) {
      long value = 0;
      MPI_Get(&value, 1, MPI_LONG, to, i % words, 1, MPI_LONG, w);
      MPI_Win_flush(to, w);
      verify(value == i % words, "get");
    }
  });
}

double put(row_context& c) {
  const int to = c.ranks - 1;
  return alone(c, words, [&](long n, MPI_Win w) {
    for (long i = 0; i < n; ++i) {
      MPI_Put(&i, 1, MPI_LONG, to, i % words, 1, MPI_LONG, w);
      MPI_Win_flush(to, w);
    }
  });
}

double fetch_and_op(row_context& c) {
  const int to = c.ranks - 1;
  return alone(c, words, [&](long n, MPI_Win w) {
    for (long i = 0; i < n; ++i) {
      const long one = 1;
      long old = 0;
      MPI_Fetch_and_op(&one, &old, MPI_LONG, to, i % words, MPI_SUM, w);
      MPI_Win_flush(to, w);
    }
  });
}

double put_bulk(row_context& c) {
  const int to = c.ranks - 1, count = int(c.size / 8);
  const std::vector<long> from(std::size_t(count), 7);
  return alone(c, std::size_t(count), [&](long n, MPI_Win w) {
    for (long i = 0; i < n; ++i) {
      MPI_Put(from.data(), count, MPI_LONG, to, 0, count, MPI_LONG, w);
      MPI_Win_flush(to, w);
    }
  });
}

}  // namespace

void add_one_sided(row_table& rows) {
  rows.insert(rows.end(), {{"mpi_get", get}, {"mpi_put", put}, {"mpi_fetch_and_op", fetch_and_op}, {"mpi_put_bulk", put_bulk}});
}

}  // namespace bench::mpi
