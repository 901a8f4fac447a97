// SPDX-License-Identifier: Apache-2.0
// The product of two matrices by OpenBLAS: each process its rows of the result, on its core.
#include <cblas.h>

#include <algorithm>
#include <vector>

#include "bench/baseline/hand.hpp"

namespace bench::hand {
namespace {

double gemm(row_context& c) {
  openblas_set_num_threads(1);
  const int n = int(c.size), rows = n / c.ranks;
  const std::vector<double> a(std::size_t(rows) * std::size_t(n), 0.5), b(std::size_t(n) * std::size_t(n), 2.0);
  std::vector<double> product(a.size());
  c.sync();
  const double time = time_per(c.iterations, [&](long times) {
    for (long i = 0; i < times; ++i) {
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, n, n, 1.0, a.data(), n, b.data(), n, 0.0, product.data(), n);
      c.sync();
    }
  });
  verify(std::ranges::all_of(product, [n](double e) { return e == n; }), "gemm by OpenBLAS");
  return time;
}

}  // namespace

void add_gemm(row_table& rows) { rows.push_back({"blas_gemm", gemm}); }

}  // namespace bench::hand
