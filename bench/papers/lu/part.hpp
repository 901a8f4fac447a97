// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

#include <armilla/armilla.hpp>

#include "bench/papers/lu/kernels.hpp"
#include "bench/papers/lu/layout.hpp"
#include "bench/papers/lu/matrix.hpp"

namespace lu {

namespace am = armilla;

/// What one rank has of the matrix, and what it does with it in a step. In its segment lie its blocks, column after column, each
/// column a stack without gaps, and room for what other ranks have: the pivot block of each step, and the blocks left of and
/// above its own ones, for two steps.
///
/// Step k eliminates column k of blocks. Its *perimeter* are the blocks below and right of the pivot block (k, k): L and U are
/// final there when the perimeter has been solved.
class part {
 public:
  part(const test_matrix& a, const shape& s, const grid& g, const kernels& k);
  ~part();
  part(const part&) = delete;
  part& operator=(const part&) = delete;

  /// Back to the matrix as it was.
  void reset();
  /// All own blocks, to be judged.
  std::span<const double> blocks() const noexcept { return {data_.local(), count_}; }

  int steps() const noexcept { return shape_.blocks(); }
  const shape& matrix() const noexcept { return shape_; }
  int row() const noexcept { return rows_.mine; }        ///< of this rank in the grid
  int column() const noexcept { return columns_.mine; }  ///< of this rank in the grid
  bool in_row(int k) const noexcept { return rows_.has(k); }
  bool in_column(int k) const noexcept { return columns_.has(k); }
  bool owns_pivot(int k) const noexcept { return in_row(k) && in_column(k); }

  /// The pivot block of step k: the own one, or the copy.
  double* pivot(int k) noexcept;
  /// The own blocks of column k below the pivot, a stack.
  std::span<double> left(int k) noexcept;
  /// Where those of another rank's column are copied to.
  std::span<double> left_copy(int k) noexcept;
  /// The own block (k, j), and where another rank's is copied to.
  std::span<double> above(int k, int j) noexcept { return {at(k, j), shape_.elements()}; }
  std::span<double> above_copy(int k, int j) noexcept;
  /// The own columns right of column k.
  int first_column_behind(int k) const noexcept { return columns_.from(k + 1); }

  void factor_pivot(int k) { kernels_.factor(at(k, k), shape_.block); }
  /// Own blocks of the perimeter. Blocks of row k that no other rank reads are solved when they are used.
  void solve_perimeter(int k);
  /// Of the blocks behind the perimeter of step k, those that belong to the pivot row and column of the next step.
  void update_urgent(int k);
  /// All others. Takes in messages between them.
  void update_rest(int k);

  /// The other ranks of this one's row of the grid, and of its column.
  std::vector<am::rank_t> row_mates() const;
  std::vector<am::rank_t> column_mates() const;
  /// The mates that have column k, and row k, of blocks.
  am::rank_t owner_of_left(int k) const noexcept { return grid_.rank(row(), k % grid_.columns); }
  am::rank_t owner_of_above(int k) const noexcept { return grid_.rank(k % grid_.rows, column()); }
  /// Where these have what `left(k)` and `above(k, j)` are there, counted from their `data()`.
  std::ptrdiff_t place_of_left(int k) const noexcept;
  std::ptrdiff_t place_of_above(int k, int j) const noexcept;
  am::global_ptr<double> data() const noexcept { return data_; }
  am::global_ptr<double> pivots() const noexcept { return pivots_; }

 private:
  double* at(int i, int j) noexcept {
    return data_.local() + std::size_t(columns_.below(j) * own_rows_ + rows_.below(i)) * shape_.elements();
  }
  /// Updates the own blocks (i, j) with first <= i < last.
  void update(int k, int j, int first, int last);

  shape shape_;
  grid grid_;
  kernels kernels_;
  dealt rows_, columns_;
  int own_rows_, own_columns_;
  std::size_t count_;
  am::global_ptr<double> data_, pivots_, lefts_, aboves_;
  std::vector<double> first_;  ///< the blocks at the beginning
};

}  // namespace lu
