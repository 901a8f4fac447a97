// SPDX-License-Identifier: Apache-2.0
// The temperature of a square plate whose border is given, by Jacobi's steps, by MPI: blocks in two dimensions, the cells along
// their borders under way while the inner ones are done.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

struct part {
  int n = 0;                  // of the whole plate
  int rows = 0, columns = 0;  // of this rank's block
  int first_row = 0, first_column = 0;
  MPI_Comm plane = MPI_COMM_NULL;
  MPI_Datatype column = MPI_DATATYPE_NULL;
  int up = 0, down = 0, left = 0, right = 0;

  std::size_t place(int i, int j) const { return std::size_t(i + 1) * std::size_t(columns + 2) + std::size_t(j + 1); }
  std::size_t size() const { return std::size_t(rows + 2) * std::size_t(columns + 2); }
  double exact(int i, int j) const {
    const double y = double(first_row + i + 1) / double(n + 1), x = double(first_column + j + 1) / double(n + 1);
    return x * x - y * y;
  }
};

part share_out(int n) {
  part p;
  p.n = n;
  int ranks = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::array<int, 2> blocks{}, periodic{}, mine{};
  MPI_Dims_create(ranks, 2, blocks.data());
  MPI_Cart_create(MPI_COMM_WORLD, 2, blocks.data(), periodic.data(), 0, &p.plane);
  MPI_Comm_rank(p.plane, &rank);
  MPI_Cart_coords(p.plane, rank, 2, mine.data());
  MPI_Cart_shift(p.plane, 0, 1, &p.up, &p.down);
  MPI_Cart_shift(p.plane, 1, 1, &p.left, &p.right);
  p.first_row = int(long(n) * mine[0] / blocks[0]);
  p.first_column = int(long(n) * mine[1] / blocks[1]);
  p.rows = int(long(n) * (mine[0] + 1) / blocks[0]) - p.first_row;
  p.columns = int(long(n) * (mine[1] + 1) / blocks[1]) - p.first_column;
  MPI_Type_vector(p.rows, 1, p.columns + 2, MPI_DOUBLE, &p.column);
  MPI_Type_commit(&p.column);
  return p;
}

void set_border(const part& p, std::vector<double>& t) {
  for (int i = -1; i <= p.rows; ++i)
    for (int j = -1; j <= p.columns; ++j) {
      const int row = p.first_row + i, column = p.first_column + j;
      if (row < 0 || row >= p.n || column < 0 || column >= p.n) t[p.place(i, j)] = p.exact(i, j);
    }
}

void begin_exchange(const part& p, std::vector<double>& t, std::array<MPI_Request, 8>& under_way) {
  MPI_Irecv(&t[p.place(-1, 0)], p.columns, MPI_DOUBLE, p.up, 0, p.plane, &under_way[0]);
  MPI_Irecv(&t[p.place(p.rows, 0)], p.columns, MPI_DOUBLE, p.down, 1, p.plane, &under_way[1]);
  MPI_Irecv(&t[p.place(0, -1)], 1, p.column, p.left, 2, p.plane, &under_way[2]);
  MPI_Irecv(&t[p.place(0, p.columns)], 1, p.column, p.right, 3, p.plane, &under_way[3]);
  MPI_Isend(&t[p.place(p.rows - 1, 0)], p.columns, MPI_DOUBLE, p.down, 0, p.plane, &under_way[4]);
  MPI_Isend(&t[p.place(0, 0)], p.columns, MPI_DOUBLE, p.up, 1, p.plane, &under_way[5]);
  MPI_Isend(&t[p.place(0, p.columns - 1)], 1, p.column, p.right, 2, p.plane, &under_way[6]);
  MPI_Isend(&t[p.place(0, 0)], 1, p.column, p.left, 3, p.plane, &under_way[7]);
}

void relax(const part& p, const std::vector<double>& t, std::vector<double>& u, int i0, int i1, int j0, int j1) {
  const std::ptrdiff_t pitch = p.columns + 2;
  for (int i = i0; i < i1; ++i) {
    const double* const from = &t[p.place(i, 0)];
    double* const to = &u[p.place(i, 0)];
    for (int j = j0; j < j1; ++j) to[j] = (from[j - pitch] + from[j + pitch] + from[j - 1] + from[j + 1]) / 4;
  }
}

void step(const part& p, std::vector<double>& t, std::vector<double>& u) {
  std::array<MPI_Request, 8> under_way;
  begin_exchange(p, t, under_way);
  const int inner_end = std::max(1, p.rows - 1), right = std::max(1, p.columns - 1);
  relax(p, t, u, 1, inner_end, 1, right);
  MPI_Waitall(int(under_way.size()), under_way.data(), MPI_STATUSES_IGNORE);
  relax(p, t, u, 0, 1, 0, p.columns);
  relax(p, t, u, inner_end, p.rows, 0, p.columns);
  relax(p, t, u, 1, inner_end, 0, 1);
  relax(p, t, u, 1, inner_end, right, p.columns);
}

template <class Distance>
double farthest(const part& p, Distance distance) {
  double most = 0;
  for (int i = 0; i < p.rows; ++i)
    for (int j = 0; j < p.columns; ++j) most = std::max(most, distance(i, j));
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, p.plane);
  return most;
}

bool solve(int n, int most_steps) {
  const double start = MPI_Wtime();
  part p = share_out(n);
  std::vector<double> t(p.size()), u(p.size());
  set_border(p, t);
  set_border(p, u);
  double change = 1;
  int done = 0;
  while (done < most_steps && change > 1e-12) {
    step(p, t, u);
    if (++done % 100 == 0) change = farthest(p, [&](int i, int j) { return std::abs(t[p.place(i, j)] - u[p.place(i, j)]); });
    std::swap(t, u);
  }
  const double error = farthest(p, [&](int i, int j) { return std::abs(t[p.place(i, j)] - p.exact(i, j)); });
  int rank = 0;
  MPI_Comm_rank(p.plane, &rank);
  if (rank == 0)
    std::printf("%d steps in %.3f s, error %g: %s\n", done, MPI_Wtime() - start, error, error < 1e-6 ? "right" : "WRONG");
  MPI_Type_free(&p.column);
  MPI_Comm_free(&p.plane);
  return error < 1e-6;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int result = 2;
  if (argc == 3)
    result = solve(std::atoi(argv[1]), std::atoi(argv[2])) ? 0 : 1;
  else if (rank == 0)
    std::fprintf(stderr, "usage: %s N STEPS\n", argv[0]);
  MPI_Finalize();
  return result;
}
