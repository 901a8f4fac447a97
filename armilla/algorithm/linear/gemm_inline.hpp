// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>

#include "armilla/algorithm/elementwise/walk.hpp"
#include "armilla/algorithm/linear/gemm_tile.hpp"
#include "armilla/container/views/zip_view.hpp"
#include "armilla/matrix.hpp"
#include "armilla/strided.hpp"

namespace armilla::detail {

inline box<2> common_part(const box<2>& a, const box<2>& b) {
  box<2> both;
  for (std::size_t d = 0; d < 2; ++d) {
    both.begin[d] = std::max(a.begin[d], b.begin[d]);
    both.end[d] = std::max(both.begin[d], std::min(a.end[d], b.end[d]));
  }
  return both;
}

/// Cells of one member: where they lie, or a copy.
template <class T>
class near_cells {
 public:
  near_cells(const matrix<T>& of, const box<2>& part) : rows_{nullptr, part.extent(1)} {
    const global_ptr<const T> at(of.ptr(part.begin));
    const auto stride = of.plan().layout_of(of.plan().shape.member_of(part.begin)).stride;
    if (const T* const here = at.local(); here != nullptr) {
      rows_ = {here, std::size_t(stride[0])};
      return;
    }
    fetched_ = std::make_unique_for_overwrite<T[]>(part.volume());
    get_strided(fetched_.get(), at, strided<2>{{part.extent(0), part.extent(1)}, {std::ptrdiff_t(part.extent(1)), 1}, stride});
    sync_memory();
    rows_.first = fetched_.get();
    count_moved(part.volume());
  }
  dense_rows<const T> rows() const noexcept { return rows_; }

 private:
  dense_rows<const T> rows_;
  std::unique_ptr<T[]> fetched_;
};

/// Own cells of c += alpha a b, block by block of a and b. Each rank begins with its own, so that not all read the same one.
template <class T>
void add_blocks(T alpha, const matrix<T>& a, const matrix<T>& b, const matrix<T>& c) {
  const block_layout<2>& mine = c.plan().mine;
  const box<2> rows{{mine.cells.begin[0], 0}, {mine.cells.end[0], a.extent(1)}};
  const box<2> columns{{0, mine.cells.begin[1]}, {b.extent(0), mine.cells.end[1]}};
  const rank_t members = c.members().size(), me = c.members().rank();
  for (rank_t m = 0; m < members; ++m) {
    const box<2> left = common_part(rows, a.plan().shape.box_of((me + m) % members));
    if (left.volume() == 0) continue;
    const near_cells<T> of_a(a, left);
    for (rank_t o = 0; o < members; ++o) {
      box<2> right = common_part(columns, b.plan().shape.box_of((me + o) % members));
      right = common_part(right, {{left.begin[1], right.begin[1]}, {left.end[1], right.end[1]}});
      if (right.volume() == 0) continue;
      const near_cells<T> of_b(b, right);
      const dense_rows<const T> from = of_a.rows();
      T* const to = c.first() + mine.offset_of_cell({left.begin[0], right.begin[1]});
      add_product<T>(left.extent(0), right.extent(1), right.extent(0), alpha,
                     {from.first + (right.begin[0] - left.begin[1]), from.stride}, of_b.rows(),
                     {to, std::size_t(mine.stride[0])});
    }
  }
}

/// Own cells times beta; what is not a number goes where beta is 0.
template <class T>
void scale_own(T beta, matrix<T>& c) {
  auto own = c.local();
  for (std::size_t i = 0; i < own.extent(0); ++i)
    for (T& e : own.row(i)) e = beta == T(0) ? T(0) : beta * e;
}

template <class T>
void product(T alpha, const matrix<T>& a, const matrix<T>& b, T beta, matrix<T>& c) {
  algorithm_call why("gemm", c);
  const team& t = c.members();
  require_same_members(a.members(), t);
  require_same_members(b.members(), t);
  if (&a == &c || &b == &c || a.extent(1) != b.extent(0) || c.extent(0) != a.extent(0) || c.extent(1) != b.extent(1)) [[unlikely]]
    throw_product_shapes({a.extent(0), a.extent(1)}, {b.extent(0), b.extent(1)}, {c.extent(0), c.extent(1)});
  meet(t);
  try {
    scale_own(beta, c);
    add_blocks(alpha, a, b, c);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  count_elements(c.plan().mine.cells.volume());
  finish(t, "gemm", why);
}

}  // namespace armilla::detail
