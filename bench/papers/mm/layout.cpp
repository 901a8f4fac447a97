// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/mm/layout.hpp"

#include <cblas.h>

#include <algorithm>
#include <limits>

namespace mm {
namespace {

void dgemm(int rows, int columns, int inner, const double* x, const double* y, double beta, double* c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1.0, x, inner, y, columns, beta, c, columns);
}

/// Writes rows x columns elements, the first of which is element (row, column) of a matrix.
template <class Value>
void fill(double* to, int row, int column, int rows, int columns, Value&& value) {
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) *to++ = value(row + r, column + c);
}

}  // namespace

double c_value(const layout& l, int row, int column) {
  double sum = 0;
  for (int k = 0; k < l.blocks * l.side; ++k) sum += a_value(row, k) * b_value(k, column);
  return sum;
}

void begin(const layout& l, int rank, double* a, double* b, double* c) {
  l.for_each_of(rank, [&](int i, int j) {
    const std::size_t at = l.place(i, j);
    fill(a + at, i * l.side, j * l.side, l.side, l.side, a_value);
    fill(b + at, i * l.side, j * l.side, l.side, l.side, b_value);
    std::fill_n(c + at, l.elements(), std::numeric_limits<double>::quiet_NaN());
  });
}

void multiply_block(const layout& l, const double* x, const double* y, double* c, bool first) {
  dgemm(l.side, l.side, l.side, x, y, first ? 0.0 : 1.0, c);
}

bool right(const layout& l, int rank, const double* c) {
  const int n = l.blocks * l.side;
  const std::size_t panel = std::size_t(n) * std::size_t(l.side);
  const int step = n <= 1024 ? 1 : l.blocks - 1;  // of large ones the corners
  std::vector<double> row(panel), column(panel), expected(l.elements());
  bool all = true;
  l.for_each_of(rank, [&](int i, int j) {
    if (i % step != 0 || j % step != 0) return;
    fill(row.data(), i * l.side, 0, l.side, n, a_value);
    fill(column.data(), 0, j * l.side, n, l.side, b_value);
    dgemm(l.side, l.side, n, row.data(), column.data(), 0.0, expected.data());
    all = all && std::equal(expected.begin(), expected.end(), c + l.place(i, j));
  });
  return all;
}

void use_one_thread() { openblas_set_num_threads(1); }

}  // namespace mm
