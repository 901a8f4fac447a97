// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/lu/kernels.hpp"

namespace lu {
namespace {

/// `B`: the size of a block where the compiler knows it, else 0.
template <int B>
struct plain {
  static void factor(double* a, int size) {
    const int b = B ? B : size;
    for (int k = 0; k < b; ++k) {
      const double* from = a + k * b;
      const double reciprocal = 1 / from[k];
      for (int i = k + 1; i < b; ++i) {
        double* to = a + i * b;
        const double factor = to[k] *= reciprocal;
        for (int j = k + 1; j < b; ++j) to[j] -= factor * from[j];
      }
    }
  }

  static void solve_left(const double* pivot, double* a, int size) {
    const int b = B ? B : size;
    for (int i = 1; i < b; ++i)
      for (int k = 0; k < i; ++k) {
        const double factor = pivot[i * b + k];
        const double* from = a + k * b;
        double* to = a + i * b;
        for (int j = 0; j < b; ++j) to[j] -= factor * from[j];
      }
  }

  static void solve_right(const double* pivot, double* a, int rows, int size) {
    const int b = B ? B : size;
    for (int i = 0; i < rows; ++i, a += b)
      for (int k = 0; k < b; ++k) {
        const double* from = pivot + k * b;
        const double factor = a[k] /= from[k];
        for (int j = k + 1; j < b; ++j) a[j] -= factor * from[j];
      }
  }

  /// Four terms at a time: an element is read and written once for all of them.
  static void multiply_subtract(const double* __restrict l, const double* __restrict u, double* __restrict c, int rows,
                                int size) {
    const int b = B ? B : size, whole = b / 4 * 4;
    for (int i = 0; i < rows; ++i, l += b, c += b) {
      for (int k = 0; k < whole; k += 4) {
        const double* w = u + k * b;
        const double p = l[k], q = l[k + 1], r = l[k + 2], s = l[k + 3];
        for (int j = 0; j < b; ++j) c[j] -= p * w[j] + q * w[b + j] + r * w[2 * b + j] + s * w[3 * b + j];
      }
      for (int k = whole; k < b; ++k)
        for (int j = 0; j < b; ++j) c[j] -= l[k] * u[k * b + j];
    }
  }
};

template <int B>
kernels plain_of() {
  return {"plain", plain<B>::factor, plain<B>::solve_left, plain<B>::solve_right, plain<B>::multiply_subtract};
}

}  // namespace

kernels plain_kernels(int b) {
  switch (b) {
    case 8: return plain_of<8>();
    case 16: return plain_of<16>();
    case 32: return plain_of<32>();
    default: return plain_of<0>();
  }
}

kernels best_kernels(int b) { return has_blas() && b >= 32 ? blas_kernels() : plain_kernels(b); }

}  // namespace lu
