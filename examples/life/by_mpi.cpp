// SPDX-License-Identifier: Apache-2.0
// Conway's game of life on a torus of N x N cells, by MPI: blocks in two dimensions. The columns are exchanged first and the rows
// with their corners behind them.
#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

using cells = std::vector<std::uint8_t>;

struct part {
  int rows = 0, columns = 0, first_row = 0, first_column = 0;
  MPI_Comm torus = MPI_COMM_NULL;
  MPI_Datatype column = MPI_DATATYPE_NULL;
  int up = 0, down = 0, left = 0, right = 0;

  std::size_t place(int i, int j) const { return std::size_t(i + 1) * std::size_t(columns + 2) + std::size_t(j + 1); }
  std::size_t size() const { return std::size_t(rows + 2) * std::size_t(columns + 2); }
};

part share_out(int n) {
  part p;
  int ranks = 1, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::array<int, 2> blocks{}, periodic{1, 1}, mine{};
  MPI_Dims_create(ranks, 2, blocks.data());
  MPI_Cart_create(MPI_COMM_WORLD, 2, blocks.data(), periodic.data(), 0, &p.torus);
  MPI_Comm_rank(p.torus, &rank);
  MPI_Cart_coords(p.torus, rank, 2, mine.data());
  MPI_Cart_shift(p.torus, 0, 1, &p.up, &p.down);
  MPI_Cart_shift(p.torus, 1, 1, &p.left, &p.right);
  p.first_row = int(long(n) * mine[0] / blocks[0]);
  p.first_column = int(long(n) * mine[1] / blocks[1]);
  p.rows = int(long(n) * (mine[0] + 1) / blocks[0]) - p.first_row;
  p.columns = int(long(n) * (mine[1] + 1) / blocks[1]) - p.first_column;
  MPI_Type_vector(p.rows, 1, p.columns + 2, MPI_UINT8_T, &p.column);
  MPI_Type_commit(&p.column);
  return p;
}

cells set_gliders(const part& p) {
  constexpr const char* glider[] = {" # ", "  #", "###"};
  cells all(p.size());
  for (int i = 0; i < p.rows; ++i)
    for (int j = 0; j < p.columns; ++j) {
      const int row = (p.first_row + i) % 16, column = (p.first_column + j) % 16;
      all[p.place(i, j)] = row < 3 && column < 3 && glider[row][column] == '#';
    }
  return all;
}

void take_edges(const part& p, cells& c) {
  MPI_Sendrecv(&c[p.place(0, 0)], 1, p.column, p.left, 0, &c[p.place(0, p.columns)], 1, p.column, p.right, 0, p.torus,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&c[p.place(0, p.columns - 1)], 1, p.column, p.right, 1, &c[p.place(0, -1)], 1, p.column, p.left, 1, p.torus,
               MPI_STATUS_IGNORE);
  const int row = p.columns + 2;
  MPI_Sendrecv(&c[p.place(0, -1)], row, MPI_UINT8_T, p.up, 2, &c[p.place(p.rows, -1)], row, MPI_UINT8_T, p.down, 2, p.torus,
               MPI_STATUS_IGNORE);
  MPI_Sendrecv(&c[p.place(p.rows - 1, -1)], row, MPI_UINT8_T, p.down, 3, &c[p.place(-1, -1)], row, MPI_UINT8_T, p.up, 3, p.torus,
               MPI_STATUS_IGNORE);
}

void live(const part& p, const cells& now, cells& next) {
  const std::ptrdiff_t pitch = p.columns + 2;
  for (int i = 0; i < p.rows; ++i) {
    const std::uint8_t* const from = &now[p.place(i, 0)];
    std::uint8_t* const to = &next[p.place(i, 0)];
    for (std::ptrdiff_t j = 0; j < p.columns; ++j) {
      const std::uint8_t *const above = from + j - pitch, *const below = from + j + pitch;
      const int around = above[-1] + above[0] + above[1] + from[j - 1] + from[j + 1] + below[-1] + below[0] + below[1];
      to[j] = std::uint8_t(around == 3 || (around == 2 && from[j] != 0));
    }
  }
}

bool play(int n) {
  const double start = MPI_Wtime();
  part p = share_out(n);
  cells now = set_gliders(p), next(p.size());
  const cells first = now;
  for (int generation = 0; generation < 4 * n; ++generation) {
    take_edges(p, now);
    live(p, now, next);
    std::swap(now, next);
  }
  std::array<long, 2> seen{};  // cells that differ, cells that live
  for (int i = 0; i < p.rows; ++i)
    for (int j = 0; j < p.columns; ++j) {
      seen[0] += now[p.place(i, j)] != first[p.place(i, j)];
      seen[1] += now[p.place(i, j)];
    }
  MPI_Allreduce(MPI_IN_PLACE, seen.data(), 2, MPI_LONG, MPI_SUM, p.torus);
  const bool back = seen[0] == 0 && seen[1] == long(n / 16) * (n / 16) * 5;
  int rank = 0;
  MPI_Comm_rank(p.torus, &rank);
  if (rank == 0) std::printf("%d generations in %.3f s: %s\n", 4 * n, MPI_Wtime() - start, back ? "right" : "WRONG");
  MPI_Type_free(&p.column);
  MPI_Comm_free(&p.torus);
  return back;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, result = 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int n = argc == 2 ? std::atoi(argv[1]) : 0;
  if (n > 0 && n % 16 == 0)
    result = play(n) ? 0 : 1;
  else if (rank == 0)
    std::fprintf(stderr, "usage: %s N, a multiple of 16\n", argv[0]);
  MPI_Finalize();
  return result;
}
