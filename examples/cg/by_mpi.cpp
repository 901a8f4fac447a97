// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients, preconditioned by the diagonal, on a matrix from a MatrixMarket file, by MPI: rows in blocks, and a list
// made once of the elements that other ranks need. Every rank reads the file and keeps its rows.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct entry {
  int row, column;
  double value;
};

struct matrix {
  int n = 0, first = 0, rows = 0;  // of this rank
  std::vector<int> begin, column;  // columns: own ones, then the fetched ones
  std::vector<double> value, diagonal;
  std::vector<int> out_counts, out_places, out_rows, in_counts, in_places;
};

int first_row(int n, int rank, int ranks) { return int(long(n) * rank / ranks); }

std::vector<entry> read_rows(const char* path, matrix& m, int rank, int ranks) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line) || !line.starts_with("%%MatrixMarket matrix coordinate real")) {
    if (rank == 0) std::fprintf(stderr, "%s is no MatrixMarket file of real coordinates\n", path);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  const bool symmetric = line.find("symmetric") != std::string::npos;
  while (std::getline(file, line) && line.starts_with('%')) {}
  int columns = 0;
  long count = 0;
  std::istringstream(line) >> m.n >> columns >> count;
  m.first = first_row(m.n, rank, ranks);
  m.rows = first_row(m.n, rank + 1, ranks) - m.first;
  std::vector<entry> mine;
  const auto keep = [&](int row, int column, double value) {
    if (row >= m.first && row < m.first + m.rows) mine.push_back({row - m.first, column, value});
  };
  for (long k = 0; k < count; ++k) {
    entry e{};
    if (!(file >> e.row >> e.column >> e.value)) {
      if (rank == 0) std::fprintf(stderr, "%s has less than %ld entries\n", path, count);
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    keep(e.row - 1, e.column - 1, e.value);
    if (symmetric && e.row != e.column) keep(e.column - 1, e.row - 1, e.value);
  }
  std::sort(mine.begin(), mine.end(),
            [](const entry& a, const entry& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; });
  return mine;
}

/// Tells the others which of their elements this rank needs.
void plan_exchange(matrix& m, const std::vector<int>& far, int ranks) {
  const auto all = std::size_t(ranks);
  m.in_counts.assign(all, 0);
  m.out_counts.resize(all);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto from = std::lower_bound(far.begin(), far.end(), first_row(m.n, rank, ranks));
    const auto to = std::lower_bound(far.begin(), far.end(), first_row(m.n, rank + 1, ranks));
    m.in_counts[std::size_t(rank)] = int(to - from);
  }
  MPI_Alltoall(m.in_counts.data(), 1, MPI_INT, m.out_counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  int in = 0, out = 0;
  for (std::size_t r = 0; r < all; ++r) {
    m.in_places.push_back(in);
    m.out_places.push_back(out);
    in += m.in_counts[r];
    out += m.out_counts[r];
  }
  m.out_rows.resize(std::size_t(out));
  MPI_Alltoallv(far.data(), m.in_counts.data(), m.in_places.data(), MPI_INT, m.out_rows.data(), m.out_counts.data(),
                m.out_places.data(), MPI_INT, MPI_COMM_WORLD);
  for (int& row : m.out_rows) row -= m.first;
}

matrix read_matrix(const char* path, int rank, int ranks) {
  matrix m;
  const std::vector<entry> mine = read_rows(path, m, rank, ranks);
  const auto is_own = [&m](int column) { return column >= m.first && column < m.first + m.rows; };
  std::vector<int> far;
  for (const entry& e : mine)
    if (!is_own(e.column)) far.push_back(e.column);
  std::sort(far.begin(), far.end());
  far.erase(std::unique(far.begin(), far.end()), far.end());
  m.begin.assign(std::size_t(m.rows) + 1, 0);
  m.diagonal.assign(std::size_t(m.rows), 0);
  for (const entry& e : mine) {
    ++m.begin[std::size_t(e.row) + 1];
    m.value.push_back(e.value);
    m.column.push_back(is_own(e.column) ? e.column - m.first
                                        : m.rows + int(std::lower_bound(far.begin(), far.end(), e.column) - far.begin()));
    if (e.column == m.first + e.row) m.diagonal[std::size_t(e.row)] = e.value;
  }
  for (std::size_t r = 0; r < std::size_t(m.rows); ++r) m.begin[r + 1] += m.begin[r];
  plan_exchange(m, far, ranks);
  return m;
}

/// x has room for the fetched elements behind the own ones.
void multiply(const matrix& m, std::vector<double>& x, std::vector<double>& y) {
  std::vector<double> out(m.out_rows.size());
  x.resize(std::size_t(m.rows + m.in_places.back() + m.in_counts.back()));
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = x[std::size_t(m.out_rows[k])];
  MPI_Alltoallv(out.data(), m.out_counts.data(), m.out_places.data(), MPI_DOUBLE, x.data() + m.rows, m.in_counts.data(),
                m.in_places.data(), MPI_DOUBLE, MPI_COMM_WORLD);
  for (std::size_t r = 0; r < std::size_t(m.rows); ++r) {
    double sum = 0;
    for (int k = m.begin[r]; k < m.begin[r + 1]; ++k) sum += m.value[std::size_t(k)] * x[std::size_t(m.column[std::size_t(k)])];
    y[r] = sum;
  }
}

template <class F>
double sum_over(std::size_t n, F f) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += f(i);
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

bool solve(const char* path, int most_steps, int rank, int ranks) {
  const matrix m = read_matrix(path, rank, ranks);
  const auto n = std::size_t(m.rows);
  std::vector<double> ones(n, 1.0), x(n), b(n), q(n), p(n);
  multiply(m, ones, b);
  const double start = MPI_Wtime();
  std::vector<double> r = b;
  const auto scaled = [&](std::size_t i) { return r[i] * r[i] / m.diagonal[i]; };
  const double first = sum_over(n, scaled);
  double rz = first, before = 0;
  int step = 0;
  for (; step < most_steps && rz > 1e-20 * first; ++step) {
    const double beta = before > 0 ? rz / before : 0;
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] / m.diagonal[i] + beta * p[i];
    multiply(m, p, q);
    const double alpha = rz / sum_over(n, [&](std::size_t i) { return p[i] * q[i]; });
    for (std::size_t i = 0; i < n; ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    before = rz;
    rz = sum_over(n, scaled);
  }
  const double time = MPI_Wtime() - start;
  multiply(m, x, q);
  const double error = std::sqrt(sum_over(n, [&](std::size_t i) { return (b[i] - q[i]) * (b[i] - q[i]); }) /
                                 sum_over(n, [&](std::size_t i) { return b[i] * b[i]; }));
  if (rank == 0) std::printf("%d steps in %.3f s, residual %g: %s\n", step, time, error, error < 1e-8 ? "right" : "WRONG");
  return error < 1e-8;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1, result = 2;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 3)
    result = solve(argv[1], std::atoi(argv[2]), rank, ranks) ? 0 : 1;
  else if (rank == 0)
    std::fprintf(stderr, "usage: %s FILE STEPS\n", argv[0]);
  MPI_Finalize();
  return result;
}
