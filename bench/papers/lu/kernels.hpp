// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

/// The arithmetic of blocked LU on blocks of b x b numbers, row by row in contiguous memory. A stack of blocks, one under the
/// other, is a matrix of as many times b rows.
namespace lu {

struct kernels {
  std::string name;
  /// a := L and U with a = L U; the ones of L's diagonal are not stored. No pivoting.
  void (*factor)(double* a, int b);
  /// a := L^-1 a, for one block.
  void (*solve_left)(const double* pivot, double* a, int b);
  /// a := a U^-1, for a stack of `rows` rows.
  void (*solve_right)(const double* pivot, double* a, int rows, int b);
  /// c := c - l u, for stacks l and c of `rows` rows.
  void (*multiply_subtract)(const double* l, const double* u, double* c, int rows, int b);
};

/// Loops that the compiler turns into vectors; the size of the usual blocks is known to it.
kernels plain_kernels(int b);

/// OpenBLAS with one thread, from any thread. Not there if this was built without: has_blas.
kernels blas_kernels();
bool has_blas();

/// What suits the block: OpenBLAS from 32 on, where there is one.
kernels best_kernels(int b);

}  // namespace lu
