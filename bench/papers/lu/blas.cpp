// SPDX-License-Identifier: Apache-2.0
// Blocks by OpenBLAS, and its own factorisation of the whole matrix for scale.
#include <cblas.h>

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

void solve_left(const double* pivot, double* a, int b) {
  cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, b, b, 1.0, pivot, b, a, b);
}

void solve_right(const double* pivot, double* a, int rows, int b) {
  cblas_dtrsm(CblasRowMajor, CblasRight, CblasUpper, CblasNoTrans, CblasNonUnit, rows, b, 1.0, pivot, b, a, b);
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
