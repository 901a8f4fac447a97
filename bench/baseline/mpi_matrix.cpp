// SPDX-License-Identifier: Apache-2.0
// Square matrices of `size` rows, a block of rows a rank, by MPI.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "bench/baseline/mpi.hpp"

namespace bench::mpi {
namespace {

/// Rows [first, last) of `to` become the means of the neighbours in `from`; both have `width` doubles a row, the first and the
/// last of them beyond the edge.
[[gnu::noinline]] void means(const double* from, double* to, std::size_t first, std::size_t last, std::size_t width) {
  for (std::size_t i = first; i < last; ++i) {
    const double *above = from + (i - 1) * width, *row = above + width, *below = row + width;
    double* const out = to + i * width;
    const std::size_t end = width - 1;
#pragma omp simd
    for (std::size_t j = 1; j < end; ++j) out[j] = (above[j] + below[j] + row[j - 1] + row[j + 1]) / 4;
  }
}

/// The rows along the border travel while those that need none of another rank are done.
double stencil(row_context& c) {
  const std::size_t width = std::size_t(c.size) + 2, rows = std::size_t(c.size / c.ranks);
  std::vector<double> t((rows + 2) * width, 0.0), u = t;
  for (std::size_t i = 1; i <= rows; ++i) std::fill_n(t.begin() + std::ptrdiff_t(i * width + 1), c.size, 1.0);
  const int above = c.rank == 0 ? MPI_PROC_NULL : c.rank - 1, below = c.rank + 1 == c.ranks ? MPI_PROC_NULL : c.rank + 1;
  const int length = int(width);
  MPI_Barrier(MPI_COMM_WORLD);
  const double time = time_per(c.iterations, [&](long n) {
    for (long k = 0; k < n; ++k) {
      std::array<MPI_Request, 4> under_way;
      MPI_Irecv(t.data(), length, MPI_DOUBLE, above, 0, MPI_COMM_WORLD, &under_way[0]);
      MPI_Irecv(t.data() + (rows + 1) * width, length, MPI_DOUBLE, below, 1, MPI_COMM_WORLD, &under_way[1]);
      MPI_Isend(t.data() + width, length, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, &under_way[2]);
      MPI_Isend(t.data() + rows * width, length, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, &under_way[3]);
      means(t.data(), u.data(), 2, rows, width);
      MPI_Waitall(4, under_way.data(), MPI_STATUSES_IGNORE);
      means(t.data(), u.data(), 1, 2, width);
      means(t.data(), u.data(), rows, rows + 1, width);
      std::swap(t, u);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  });
  if (c.rank == 0) verify(t[width + 1] > 0 && t[width + 1] < 1, "stencil");
  return time;
}

/// to[j][i] = from[i][j] for `rows` rows and `columns` columns, tile by tile.
[[gnu::noinline]] void turn(const double* from, std::size_t from_width, double* to, std::size_t to_width, std::size_t rows,
                            std::size_t columns) {
  constexpr std::size_t side = 32;
  for (std::size_t i = 0; i < rows; i += side)
    for (std::size_t j = 0; j < columns; j += side)
      for (std::size_t a = i; a < std::min(i + side, rows); ++a)
        for (std::size_t b = j; b < std::min(j + side, columns); ++b) to[b * to_width + a] = from[a * from_width + b];
}

/// What goes to a rank is turned on its way into the message.
double transpose(row_context& c) {
  const std::size_t all = std::size_t(c.size), mine = all / std::size_t(c.ranks), block = mine * mine;
  std::vector<double> a(mine * all), b(mine * all), out(mine * all), in(mine * all);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = double(std::size_t(c.rank) * a.size() + i);
  MPI_Barrier(MPI_COMM_WORLD);
  const double time = time_per(c.iterations, [&](long n) {
    for (long k = 0; k < n; ++k) {
      for (std::size_t r = 0; r < std::size_t(c.ranks); ++r)
        turn(a.data() + r * mine, all, out.data() + r * block, mine, mine, mine);
      MPI_Alltoall(out.data(), int(block), MPI_DOUBLE, in.data(), int(block), MPI_DOUBLE, MPI_COMM_WORLD);
      for (std::size_t r = 0; r < std::size_t(c.ranks); ++r)
        for (std::size_t i = 0; i < mine; ++i) std::copy_n(in.data() + r * block + i * mine, mine, b.data() + i * all + r * mine);
    }
  });
  if (c.rank == 0) verify(b[5 * all + 3] == double(3 * all + 5) && b[all - 1] == double((all - 1) * all), "transpose");
  return time;
}

}  // namespace

void add_matrices(row_table& rows) { rows.insert(rows.end(), {{"mpi_stencil", stencil}, {"mpi_transpose", transpose}}); }

}  // namespace bench::mpi
