// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

/// C = A * B with matrices of square blocks that are spread over the ranks. Paper: Split-C and Active Messages on the Paragon,
/// section 5.
namespace mm {

/// Where the blocks of a matrix lie: block (i, j) on rank (i + j) % ranks, so that each rank has its share of every row and
/// column.
struct layout {
  int blocks;  ///< in a row and in a column
  int side;    ///< of a block
  int ranks;

  std::size_t elements() const { return std::size_t(side) * std::size_t(side); }  ///< of a block
  int owner(int i, int j) const { return (i + j) % ranks; }
  /// Where its owner has block (i, j), counted in elements.
  std::size_t place(int i, int j) const { return std::size_t(i * blocks_of_row() + j / ranks) * elements(); }
  /// Elements of a matrix on each rank.
  std::size_t room() const { return std::size_t(blocks * blocks_of_row()) * elements(); }

  double operations() const {  ///< floating-point operations of the product
    const double n = double(blocks) * side;
    return 2 * n * n * n;
  }

  /// f(i, j) for all blocks of a rank.
  template <class F>
  void for_each_of(int rank, F&& f) const {
    for (int i = 0; i < blocks; ++i)
      for (int j = 0; j < blocks; ++j)
        if (owner(i, j) == rank) f(i, j);
  }

  /// f(i, j, k, first) for all products of blocks that a rank adds up, A(i, k) * B(k, j) into its C(i, j); `first`: of that
  /// block. Each rank begins at another k.
  template <class F>
  void for_each_product_of(int rank, F&& f) const {
    for_each_of(rank, [&](int i, int j) {
      for (int n = 0; n < blocks; ++n) f(i, j, (i + n) % blocks, n == 0);
    });
  }

 private:
  int blocks_of_row() const { return (blocks + ranks - 1) / ranks; }
};

/// The elements of A and B: small integers, so that every order of summation gives the same bits.
inline double a_value(int row, int column) { return (row * 3 + column * 5) % 17 - 8; }
inline double b_value(int row, int column) { return (row * 7 + column * 2) % 13 - 6; }
/// An element of the product, by its definition.
double c_value(const layout& l, int row, int column);

/// Writes a rank's blocks of A and B, and what is no number into those of C.
void begin(const layout& l, int rank, double* a, double* b, double* c);

/// c = x * y, or c += x * y, for blocks: dgemm of OpenBLAS by one thread.
void multiply_block(const layout& l, const double* x, const double* y, double* c, bool first);

/// Whether a rank's blocks of C are what dgemm makes of whole rows of blocks of A and columns of B; of large matrices some are
/// looked at.
bool right(const layout& l, int rank, const double* c);

/// Holds OpenBLAS to one thread.
void use_one_thread();

}  // namespace mm
