// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/algorithm/elementwise/walk.hpp"
#include "armilla/container/views/zip_view.hpp"
#include "armilla/matrix.hpp"

/// What `stencil` does inside.
namespace armilla::detail {

/// The cells around one cell.
template <class T, std::size_t N>
class surroundings {
 public:
  surroundings(const T* cell, const block_layout<N>& layout, const std::array<std::size_t, N>& row, std::size_t k) noexcept
      : cell_(cell), layout_(&layout), row_(&row), k_(k) {}

  /// The value of the cell that lies so far away: at(0, 0) is the cell itself. In checked builds usage_error beyond the halo.
  template <std::convertible_to<std::ptrdiff_t>... I>
    requires(sizeof...(I) == N)
  [[gnu::always_inline]] const T& operator()(I... away) const {
    const std::array<std::ptrdiff_t, N> by{std::ptrdiff_t(away)...};
    std::ptrdiff_t far = by[N - 1];
    for (std::size_t d = 0; d + 1 < N; ++d) far += by[d] * layout_->stride[d];
    if constexpr (checked)
      for (std::size_t d = 0; d < N; ++d) {
        const std::size_t width = by[d] < 0 ? layout_->before[d] : layout_->behind[d];
        if (std::size_t(by[d] < 0 ? -by[d] : by[d]) > width) throw_beyond_halo(d, by[d], width);
      }
    return cell_[far];
  }
  /// The cell's coordinate in dimension d.
  std::size_t index(std::size_t d) const noexcept { return (*row_)[d] + (d + 1 == N ? k_ : 0); }

 private:
  const T* cell_;
  const block_layout<N>* layout_;
  const std::array<std::size_t, N>* row_;
  std::size_t k_;
};

/// One row. The matrices differ, so that their cells do not overlap, and the layouts are values, which no cell changes.
/// Budget: the arithmetic of f, in vectors where f allows it.
template <class T, class U, std::size_t N, class F>
void stencil_row(const T* from, U* __restrict to, std::size_t n, const block_layout<N> layout,
                 const std::array<std::size_t, N> row, std::size_t index, failure& why, F& f) {
  std::size_t k = 0;
  try {
    for (; k < n; ++k) to[k] = f(surroundings<T, N>(from + k, layout, row, k));
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note(index + k);
  }
}

/// The cells of one box of this rank's, as far as no error has come.
template <class T, class U, std::size_t N, class F>
void stencil_box(const matrix<T, N>& in, const matrix<U, N>& out, const box<N>& b, failure& why, F& f) {
  const block_layout<N>&from = in.plan().mine, &to = out.plan().mine;
  each_row(b, [&](const std::array<std::size_t, N>& row) {
    if (why.happened()) return;
    stencil_row(in.first() + from.offset_of_cell(row), out.first() + to.offset_of_cell(row), b.extent(N - 1), from, row,
                in.plan().shape.index_of(row), why, f);
  });
}

/// Own cells whose surroundings no other member has, and that no other member reads.
template <std::size_t N>
box<N> inner_cells(const matrix_plan<N>& p) {
  box<N> b = p.mine.cells;
  for (std::size_t d = 0; d < N; ++d) {
    b.begin[d] += std::min(b.extent(d), p.halos.shared_before[d]);
    b.end[d] -= std::min(b.extent(d), p.halos.shared_behind[d]);
  }
  return b;
}

/// Calls f(box) for the parts of `all` around `inner`, each cell in one of them.
template <std::size_t N, class F>
void each_part_around(box<N> all, const box<N>& inner, F f) {
  for (std::size_t d = 0; d < N; ++d) {
    box<N> before = all, behind = all;
    before.end[d] = inner.begin[d];
    behind.begin[d] = inner.end[d];
    f(before);
    f(behind);
    all.begin[d] = inner.begin[d];
    all.end[d] = inner.end[d];
  }
}

template <class T, class U, std::size_t N, class F>
void stencil_on(matrix<T, N>& in, matrix<U, N>& out, F& f) {
  if (static_cast<const void*>(&in) == static_cast<const void*>(&out) || !(in.plan().shape == out.plan().shape)) [[unlikely]]
    throw_stencil_shapes(static_cast<const void*>(&in) == static_cast<const void*>(&out));
  require_same_members(in.members(), out.members());
  algorithm_call why("stencil", out);
  count_elements(out.plan().mine.cells.volume());
  in.signal_neighbours();
  const box<N> inner = inner_cells(in.plan());
  const bool around_self = !in.plan().halos.own.empty();
  if (!around_self) stencil_box(in, out, inner, why, f);
  in.take_halo();
  if (around_self) stencil_box(in, out, inner, why, f);
  each_part_around(in.plan().mine.cells, inner, [&](const box<N>& b) { stencil_box(in, out, b, why, f); });
  finish(in.members(), "stencil", why);
}

}  // namespace armilla::detail
