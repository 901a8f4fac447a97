// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <numeric>
#include <vector>

#include "armilla/algorithm/elementwise/walk.hpp"
#include "armilla/algorithm/linear/gemm_tile.hpp"
#include "armilla/gather.hpp"
#include "armilla/matrix.hpp"

namespace armilla::detail {

/// Budget: a multiplication and two loads an element; sums in lanes, so that none waits for the one before.
template <class T>
T product_of_row(const T* a, const T* x, std::size_t n) noexcept {
  constexpr std::size_t lanes = 64 / sizeof(T) * 2;
  T lane[lanes] = {}, sum{};
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes)
    for (std::size_t j = 0; j < lanes; ++j) lane[j] += a[k + j] * x[k + j];
  for (; k < n; ++k) sum += a[k] * x[k];
  return std::accumulate(lane, lane + lanes, sum);
}

/// This rank's block of a times its elements of x: a number for each row of the block.
template <class T>
void multiply_block(const matrix<T>& a, const array<T>& x, T* to) {
  const box<2>& cells = a.plan().mine.cells;
  std::vector<std::size_t> columns(cells.extent(1));
  std::iota(columns.begin(), columns.end(), cells.begin[1]);
  const std::vector<T> of_x = armilla::gather(x, columns);
  const auto own = a.local();
  for (std::size_t i = 0; i < cells.extent(0); ++i)
    to[i] = columns.empty() ? T(0) : product_of_row(own.row(i).data(), of_x.data(), columns.size());
}

/// What each member's block gives for its rows, before the blocks of a row of the grid are added.
template <class T>
class row_products {
 public:
  /// Collective.
  explicit row_products(const matrix<T>& a) : shape_(&a.plan().shape), first_(std::size_t(a.members().size()) + 1, 0) {
    std::vector<std::size_t> rows(first_.size() - 1);
    for (std::size_t m = 0; m < rows.size(); ++m) rows[m] = shape_->box_of(rank_t(m)).extent(0);
    std::partial_sum(rows.begin(), rows.end(), first_.begin() + 1);
    all_ = array<T>(first_.back(), on(a.members(), blocks(std::move(rows))));
  }
  T* own() noexcept { return all_.local().data(); }

  /// The numbers of these rows.
  std::vector<T> of_rows(const std::vector<std::size_t>& rows) const {
    std::vector<T> sums(rows.size(), T(0));
    std::vector<std::size_t> places(rows.size());
    for (rank_t column = 0; column < shape_->blocks(1); ++column) {
      for (std::size_t k = 0; k < rows.size(); ++k) places[k] = place_of(rows[k], column);
      const std::vector<T> some = armilla::gather(all_, places);
      for (std::size_t k = 0; k < rows.size(); ++k) sums[k] += some[k];
    }
    return sums;
  }

 private:
  std::size_t place_of(std::size_t row, rank_t column) const {
    const rank_t block = shape_->block_of(0, row);
    return first_[std::size_t(shape_->member_at({block, column}))] + (row - shape_->begin_of(0, block));
  }

  const grid_shape<2>* shape_;
  std::vector<std::size_t> first_;
  array<T> all_;
};

/// y = alpha sums + beta y; what y held does not count where beta is 0.
template <class T>
void take_sums(T alpha, const T* sums, T beta, std::span<T> y) {
  for (std::size_t k = 0; k < y.size(); ++k) y[k] = alpha * sums[k] + (beta == T(0) ? T(0) : beta * y[k]);
}

/// Whether each member has the elements of `y` that belong to all its rows of `a`.
template <class T>
bool lies_with_rows(const matrix<T>& a, const armilla::placement& y) {
  const grid_shape<2>& shape = a.plan().shape;
  if (shape.blocks(1) != 1 || !y.linear()) return false;
  for (rank_t m = 0; m < y.members(); ++m)
    if (y.count(m) != shape.box_of(m).extent(0)) return false;
  return true;
}

template <class T>
void product_in_place(T alpha, const matrix<T>& a, const array<T>& x, T beta, array<T>& y) {
  algorithm_call why("gemv", y, x);
  meet(y.members());
  try {
    const auto sums = std::make_unique_for_overwrite<T[]>(y.local().size());
    multiply_block(a, x, sums.get());
    take_sums(alpha, sums.get(), beta, y.local());
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  count_elements(a.plan().mine.cells.volume());
  finish(y.members(), "gemv", why);
}

template <class T>
void product_by_blocks(T alpha, const matrix<T>& a, const array<T>& x, T beta, array<T>& y) {
  algorithm_call why("gemv", y, x);
  row_products<T> products(a);  // a meeting: all have written x
  try {
    multiply_block(a, x, products.own());
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  count_elements(a.plan().mine.cells.volume());
  meet(y.members());
  if (!why.happened()) try {
      std::vector<std::size_t> rows(y.local().size());
      for (std::size_t k = 0; k < rows.size(); ++k) rows[k] = y.index_of_local(k);
      take_sums<T>(alpha, products.of_rows(rows).data(), beta, y.local());
    } catch (const detail::passing&) { throw; } catch (...) {
      why.note();
    }
  finish(y.members(), "gemv", why);
}

template <class T>
void product(T alpha, const matrix<T>& a, const array<T>& x, T beta, array<T>& y) {
  require_same_members(a.members(), y.members());
  require_same_members(x.members(), y.members());
  if (x.size() != a.extent(1)) [[unlikely]]
    throw_vector_length("gemv", "input", x.size(), a.extent(1));
  if (y.size() != a.extent(0)) [[unlikely]]
    throw_vector_length("gemv", "output", y.size(), a.extent(0));
  if (&x != &y && lies_with_rows(a, y.placement()))
    product_in_place(alpha, a, x, beta, y);
  else
    product_by_blocks(alpha, a, x, beta, y);
}

}  // namespace armilla::detail
