// SPDX-License-Identifier: Apache-2.0
// Stands in for blas.cpp where OpenBLAS is not installed.
#include <utility>

#include "bench/papers/lu/kernels.hpp"
#include "bench/papers/lu/lapack.hpp"

namespace lu {

bool has_blas() { return false; }
kernels blas_kernels() { return plain_kernels(0); }
void blas_threads(int) {}
void lapack_factor(std::vector<double>&, int, std::vector<int>&) {}
std::vector<double> lapack_solve(const std::vector<double>&, int, const std::vector<int>&, std::vector<double> right) {
  return right;
}

}  // namespace lu
