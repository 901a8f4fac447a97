// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "bench/papers/common/threads.hpp"
#include "bench/papers/lu/kernels.hpp"
#include "bench/papers/lu/layout.hpp"
#include "bench/papers/lu/matrix.hpp"

/// LU by threads that share the matrix, as one would write it by hand: contiguous blocks dealt to a grid of threads, and a
/// barrier after the pivot block and after the perimeter.
namespace lu {

class shared_matrix {
 public:
  explicit shared_matrix(const shape& s) : shape_(s), data_(std::size_t(s.size) * std::size_t(s.size)) {}
  double* block(int i, int j) noexcept { return data_.data() + std::size_t(j * shape_.blocks() + i) * shape_.elements(); }
  const shape& matrix() const noexcept { return shape_; }

  void fill(const test_matrix& a) {
    const int b = shape_.block;
    for (int column = 0; column < a.size(); ++column)
      for (int row = 0; row < a.size(); ++row) block(row / b, column / b)[row % b * b + column % b] = a(row, column);
  }

 private:
  shape shape_;
  std::vector<double> data_;
};

// parallel
/// What thread `me` of the grid does. All call it.
inline void eliminate(shared_matrix& a, const grid& g, int me, papers::thread_barrier& meet, const kernels& by) {
  const int n = a.matrix().blocks(), b = a.matrix().block;
  const auto mine = [&](int i, int j) { return g.owner(i, j) == me; };
  for (int k = 0; k < n; ++k) {
    if (mine(k, k)) by.factor(a.block(k, k), b);
    if (k + 1 == n) break;
    meet.wait();
    for (int i = k + 1; i < n; ++i) {
      if (mine(i, k)) by.solve_right(a.block(k, k), a.block(i, k), b, b);
      if (mine(k, i)) by.solve_left(a.block(k, k), a.block(k, i), b);
    }
    meet.wait();
    for (int j = k + 1; j < n; ++j)
      for (int i = k + 1; i < n; ++i)
        if (mine(i, j)) by.multiply_subtract(a.block(i, k), a.block(k, j), a.block(i, j), b, b);
  }
}
// end of parallel

}  // namespace lu
