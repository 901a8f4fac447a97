// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/lu/part.hpp"

#include <algorithm>

namespace lu {

part::part(const test_matrix& a, const shape& s, const grid& g, const kernels& k)
    : shape_(s),
      grid_(g),
      kernels_(k),
      rows_{am::rank() / g.columns, g.rows},
      columns_{am::rank() % g.columns, g.columns},
      own_rows_(rows_.below(s.blocks())),
      own_columns_(columns_.below(s.blocks())),
      count_(std::size_t(own_rows_) * std::size_t(own_columns_) * s.elements()),
      data_(am::allocate<double>(count_)),
      pivots_(am::allocate<double>(std::size_t(s.blocks()) * s.elements())),
      lefts_(am::allocate<double>(2 * std::size_t(own_rows_) * s.elements())),
      aboves_(am::allocate<double>(2 * std::size_t(own_columns_) * s.elements())),
      first_(count_) {
  double* next = first_.data();
  for (int j = columns_.mine; j < s.blocks(); j += columns_.stride)
    for (int i = rows_.mine; i < s.blocks(); i += rows_.stride)
      for (int r = 0; r < s.block; ++r)
        for (int c = 0; c < s.block; ++c) *next++ = a(i * s.block + r, j * s.block + c);
}

part::~part() {
  for (const auto& memory : {data_, pivots_, lefts_, aboves_}) am::deallocate(memory);
}

void part::reset() { std::copy(first_.begin(), first_.end(), data_.local()); }

double* part::pivot(int k) noexcept { return owns_pivot(k) ? at(k, k) : pivots_.local() + std::size_t(k) * shape_.elements(); }

std::span<double> part::left(int k) noexcept {
  return {at(rows_.from(k + 1), k), std::size_t(own_rows_ - rows_.below(k + 1)) * shape_.elements()};
}

std::span<double> part::left_copy(int k) noexcept {
  const std::size_t room = std::size_t(own_rows_) * shape_.elements();
  return {lefts_.local() + std::size_t(k % 2) * room, std::size_t(own_rows_ - rows_.below(k + 1)) * shape_.elements()};
}

std::span<double> part::above_copy(int k, int j) noexcept {
  return {aboves_.local() + std::size_t(k % 2 * own_columns_ + columns_.below(j)) * shape_.elements(), shape_.elements()};
}

std::vector<am::rank_t> part::row_mates() const {
  std::vector<am::rank_t> mates;
  for (int c = 0; c < grid_.columns; ++c)
    if (c != column()) mates.push_back(grid_.rank(row(), c));
  return mates;
}

std::vector<am::rank_t> part::column_mates() const {
  std::vector<am::rank_t> mates;
  for (int r = 0; r < grid_.rows; ++r)
    if (r != row()) mates.push_back(grid_.rank(r, column()));
  return mates;
}

// A mate of the row has the same rows as this rank, one of the column the same columns.
std::ptrdiff_t part::place_of_left(int k) const noexcept {
  return std::ptrdiff_t(k / grid_.columns * own_rows_ + rows_.below(k + 1)) * std::ptrdiff_t(shape_.elements());
}

std::ptrdiff_t part::place_of_above(int k, int j) const noexcept {
  const int rows_there = dealt{k % grid_.rows, grid_.rows}.below(shape_.blocks());
  return std::ptrdiff_t(columns_.below(j) * rows_there + k / grid_.rows) * std::ptrdiff_t(shape_.elements());
}

void part::solve_perimeter(int k) {
  const double* const by = pivot(k);
  const int b = shape_.block;
  if (in_column(k))
    if (const std::span<double> stack = left(k); !stack.empty()) kernels_.solve_right(by, stack.data(), int(stack.size()) / b, b);
  if (in_row(k) && grid_.rows > 1)
    for (int j = first_column_behind(k); j < steps(); j += columns_.stride) kernels_.solve_left(by, at(k, j), b);
}

void part::update_urgent(int k) {
  const int next = k + 1, below_next = rows_.from(next + 1);
  if (in_column(next)) update(k, next, rows_.from(next), steps());
  if (in_row(next) && grid_.rows > 1)
    for (int j = columns_.from(next + 1); j < steps(); j += columns_.stride) update(k, j, next, below_next);
}

void part::update_rest(int k) {
  const int first = rows_.from(grid_.rows > 1 ? k + 2 : k + 1);  // row k + 1 is done, or only this rank reads it
  for (int j = columns_.from(k + 2); j < steps(); j += columns_.stride) {
    update(k, j, first, steps());
    am::poll();
  }
}

void part::update(int k, int j, int first, int last) {
  const int b = shape_.block, rows = (rows_.below(last) - rows_.below(first)) * b;
  if (in_row(k) && grid_.rows == 1) kernels_.solve_left(pivot(k), at(k, j), b);
  if (rows == 0) return;
  const double* const stack = (in_column(k) ? left(k) : left_copy(k)).data();
  const double* const l = stack + std::size_t(rows_.below(first) - rows_.below(k + 1)) * shape_.elements();
  kernels_.multiply_subtract(l, in_row(k) ? at(k, j) : above_copy(k, j).data(), at(first, j), rows, b);
}

}  // namespace lu
