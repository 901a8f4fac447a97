// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

/// LAPACK's factorisation, with pivoting: how fast a library that knows nothing of ranks is. Only where has_blas().
namespace lu {

/// How many threads OpenBLAS takes in this process from now on.
void blas_threads(int n);

/// Factors `a`, n x n column by column, in place.
void lapack_factor(std::vector<double>& a, int n, std::vector<int>& pivots);

/// x with A x = right, from what lapack_factor left.
std::vector<double> lapack_solve(const std::vector<double>& factored, int n, const std::vector<int>& pivots,
                                 std::vector<double> right);

}  // namespace lu
