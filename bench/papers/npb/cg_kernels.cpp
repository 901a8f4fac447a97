// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/npb/cg_kernels.hpp"

namespace npb {

// The order of summation is the compiler's: several sums at a time.
void multiply(const sparse_rows& a, const double* x, std::span<double> out) {
  const std::int32_t* const column = a.column.data();
  const double* const value = a.value.data();
  for (std::size_t row = 0; row < out.size(); ++row) {
    double sum = 0;
    const std::int64_t end = a.begin[row + 1];
#pragma omp simd reduction(+ : sum)
    for (std::int64_t k = a.begin[row]; k < end; ++k) sum += value[k] * x[column[k]];
    out[row] = sum;
  }
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double advance(double alpha, std::span<const double> p, std::span<const double> q, std::span<double> z, std::span<double> r) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < r.size(); ++i) {
    z[i] += alpha * p[i];
    r[i] -= alpha * q[i];
    sum += r[i] * r[i];
  }
  return sum;
}

void turn(double beta, std::span<const double> r, std::span<double> p) {
#pragma omp simd
  for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + beta * p[i];
}

double distance(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

void scale(double factor, std::span<const double> z, std::span<double> x) {
#pragma omp simd
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = factor * z[i];
}

}  // namespace npb
