// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

/// The matrix that is factored: a known one, so that every version's results can be compared with reference values.
namespace lu {

/// A matrix of n x n from POSIX's generator of random numbers with seed 1, column by column, whose diagonal counts ten times. It
/// is not diagonally dominant, yet can be factored without pivoting. The right-hand side is such that x is all ones.
class test_matrix {
 public:
  explicit test_matrix(int n);
  int size() const noexcept { return n_; }
  double operator()(int row, int column) const noexcept { return a_[std::size_t(column) * std::size_t(n_) + std::size_t(row)]; }
  const std::vector<double>& by_columns() const noexcept { return a_; }
  const std::vector<double>& right_side() const noexcept { return right_; }

 private:
  int n_;
  std::vector<double> a_, right_;
};

/// What is left of A x = b, and how far x is from ones.
struct accuracy {
  double residual = 0;  ///< |A x - b| / |b|
  double error = 0;     ///< max |x - 1|
  bool right() const noexcept;
};
accuracy accuracy_of(const test_matrix& a, const std::vector<double>& x);

/// What a factorisation without pivoting came to.
struct verdict {
  accuracy solved;
  double last = 0;     ///< the last element of U's diagonal
  double log_sum = 0;  ///< the sum of log |u|, over U's diagonal
  int negative = 0;    ///< how many of U's diagonal are negative

  /// The solution is accurate, and the numbers are those of `reference` as far as rounding lets them be.
  bool agrees(const verdict& reference) const noexcept;
};

/// `factored`: L below the diagonal, U from it on; n x n, row by row.
verdict judge(const test_matrix& a, const std::vector<double>& factored);

/// What every factorisation of `a` must come to: known values for 512 x 512, else those of a factorisation by this thread alone.
verdict reference_of(const test_matrix& a);

}  // namespace lu
