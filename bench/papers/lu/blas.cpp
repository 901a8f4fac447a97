// SPDX-License-Identifier: Apache-2.0
// Blocks by OpenBLAS, and its own factorisation of the whole matrix for scale.
#include <cblas.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bench/papers/lu/kernels.hpp"
#include "bench/papers/lu/lapack.hpp"

extern "C" {
void openblas_set_num_threads(int n);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* pivots, int* info);
void dgetrs_(const char* trans, const int* n, const int* columns, const double* a, const int* lda, const int* pivots, double* b,
             const int* ldb, int* info);
}

namespace lu {
namespace {

/// Halves down to 16, so that most of it is multiplication.
void factor_part(double* a, int n, int stride) {
  if (n <= 16) {
    for (int k = 0; k < n; ++k) {
      const double* from = a + k * stride;
      const double reciprocal = 1 / from[k];
      for (int i = k + 1; i < n; ++i) {
        double* to = a + i * stride;
        const double factor = to[k] *= reciprocal;
        for (int j = k + 1; j < n; ++j) to[j] -= factor * from[j];
      }
    }
    return;
  }
  const int first = (n / 2 + 15) / 16 * 16, second = n - first;
  double *right = a + first, *below = a + first * stride, *corner = below + first;
  factor_part(a, first, stride);
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, first, second, 1.0, a, stride, right, stride);
  cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, second, first, 1.0, a, stride, below, stride);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, second, second, first, -1.0, below, stride, right, stride, 1.0, corner,
              stride);
  factor_part(corner, second, stride);
}

void factor(double* a, int b) { factor_part(a, b, b); }

/// Row by row, each from all rows above it, four of these at a time.
void solve_left(const double* pivot, double* a, int b) {
  for (int i = 1; i < b; ++i) {
    double* const __restrict to = a + i * b;
    const double* const l = pivot + i * b;
    int k = 0;
    for (; k + 4 <= i; k += 4) {
      const double* const w = a + k * b;
      const double p = l[k], q = l[k + 1], r = l[k + 2], s = l[k + 3];
      for (int j = 0; j < b; ++j) to[j] -= p * w[j] + q * w[b + j] + r * w[2 * b + j] + s * w[3 * b + j];
    }
    for (; k < i; ++k)
      for (int j = 0; j < b; ++j) to[j] -= l[k] * a[k * b + j];
  }
}

/// x := the inverse of the upper triangle u, n x n, whose rows lie `stride_u` and `stride_x` apart. Below the diagonal x stays as
/// it is.
void invert_upper(const double* u, int stride_u, double* x, int n, int stride_x) {
  if (n <= 8) {
    for (int j = 0; j < n; ++j) {
      const double reciprocal = x[j * stride_x + j] = 1 / u[j * stride_u + j];
      for (int i = 0; i < j; ++i) {
        double sum = 0;
        for (int k = i; k < j; ++k) sum += x[i * stride_x + k] * u[k * stride_u + j];
        x[i * stride_x + j] = -sum * reciprocal;
      }
    }
    return;
  }
  const int first = n / 2, second = n - first;
  double* const corner = x + first * stride_x + first;
  invert_upper(u, stride_u, x, first, stride_x);
  invert_upper(u + first * stride_u + first, stride_u, corner, second, stride_x);
  for (int i = 0; i < first; ++i)
    for (int j = 0; j < second; ++j) x[i * stride_x + first + j] = -u[i * stride_u + first + j];
  cblas_dtrmm(CblasRowMajor, CblasLeft, CblasUpper, CblasNoTrans, CblasNonUnit, first, second, 1.0, x, stride_x, x + first,
              stride_x);
  cblas_dtrmm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, first, second, 1.0, corner, stride_x, x + first,
              stride_x);
}

/// By inverses of parts of the pivot block: a multiplication of the stack takes less time than solving with each of its rows, and
/// parts of this size cost no accuracy.
void solve_right(const double* pivot, double* a, int rows, int b) {
  constexpr int part = 32;
  std::vector<double> inverse(part * part), before(std::size_t(rows) * part);
  for (int first = 0; first < b; first += part) {
    const int n = std::min(part, b - first);
    const double* const corner = pivot + first * b + first;
    if (first > 0)
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, n, first, -1.0, a, b, pivot + first, b, 1.0, a + first, b);
    for (int i = 0; i < rows; ++i) std::copy_n(a + i * b + first, n, before.data() + i * n);
    invert_upper(corner, b, inverse.data(), n, n);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, n, n, 1.0, before.data(), n, inverse.data(), n, 0.0, a + first,
                b);
  }
}

void multiply_subtract(const double* l, const double* u, double* c, int rows, int b) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, b, b, -1.0, l, b, u, b, 1.0, c, b);
}

}  // namespace

kernels blas_kernels() { return {"blas", factor, solve_left, solve_right, multiply_subtract}; }
bool has_blas() { return true; }
void blas_threads(int n) { openblas_set_num_threads(n); }

void lapack_factor(std::vector<double>& a, int n, std::vector<int>& pivots) {
  int info = 0;
  pivots.resize(std::size_t(n));
  dgetrf_(&n, &n, a.data(), &n, pivots.data(), &info);
  if (info != 0) throw std::runtime_error("dgetrf: the matrix is singular");
}

std::vector<double> lapack_solve(const std::vector<double>& factored, int n, const std::vector<int>& pivots,
                                 std::vector<double> right) {
  int info = 0;
  const int one = 1;
  dgetrs_("N", &n, &one, factored.data(), &n, pivots.data(), right.data(), &n, &info);
  return right;
}

}  // namespace lu
