// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "armilla/algorithm/linear/gemm_inline.hpp"
#include "armilla/collectives.hpp"
#include "armilla/cyclic_matrix.hpp"
#include "armilla/everything.hpp"

/// Products and transposition of matrices that are dealt in turn.
namespace armilla::detail {

/// `m` itself if its dimension `d` is dealt as `wanted`, over the members of `c`; else a copy in `room` that is.
template <class T>
const cyclic_matrix<T>& dealt_as(const cyclic_matrix<T>& m, std::size_t d, const cyclic_matrix<T>& c,
                                 std::optional<cyclic_matrix<T>>& room) {
  const auto &has = m.shape().in, &wanted = c.shape().in;
  if (has[d] == wanted[d] && has[1 - d].members == wanted[1 - d].members) return m;
  std::array<std::size_t, 2> tile;
  tile[d] = wanted[d].tile;
  tile[1 - d] = has[1 - d].tile;
  room.emplace(std::array{m.extent(0), m.extent(1)}, tile, on(m.members(), grid({wanted[0].members, wanted[1].members})));
  room->take(m);
  return *room;
}

/// c += alpha a b, over the index that a and b share: one part after the other that lies in a tile of both. This rank's rows of a
/// follow each other on one member, and so do its columns of b.
template <class T>
void add_panels(T alpha, const cyclic_matrix<T>& a, const cyclic_matrix<T>& b, const cyclic_matrix<T>& c) {
  const matrix<T, 2>& own = c.cells();
  const block_layout<2>& mine = own.plan().mine;
  const rank_t me = own.plan().me;
  const std::size_t rows = c.shape().in[0].count(c.shape().row_of_member(me)),
                    columns = c.shape().in[1].count(c.shape().column_of_member(me));
  if (rows == 0 || columns == 0) return;
  const dealt_dimension &of_a = a.shape().in[1], &of_b = b.shape().in[0];
  for (std::size_t k = 0, end = 0; k < of_a.extent; k = end) {
    end = std::min(of_a.tile_end(k), of_b.tile_end(k));
    const std::size_t in_a = of_a.place_of(k), in_b = of_b.place_of(k), n = end - k;
    const near_cells<T> left(a.cells(), {{mine.cells.begin[0], in_a}, {mine.cells.begin[0] + rows, in_a + n}});
    const near_cells<T> right(b.cells(), {{in_b, mine.cells.begin[1]}, {in_b + n, mine.cells.begin[1] + columns}});
    add_product<T>(rows, columns, n, alpha, left.rows(), right.rows(), {own.first(), std::size_t(mine.stride[0])});
  }
}

template <class T>
void product(T alpha, const cyclic_matrix<T>& a, const cyclic_matrix<T>& b, T beta, cyclic_matrix<T>& c) {
  algorithm_call why("gemm", c.range());
  const team& t = c.members();
  require_same_members(a.members(), t);
  require_same_members(b.members(), t);
  if (&a == &c || &b == &c || a.extent(1) != b.extent(0) || c.extent(0) != a.extent(0) || c.extent(1) != b.extent(1)) [[unlikely]]
    throw_product_shapes({a.extent(0), a.extent(1)}, {b.extent(0), b.extent(1)}, {c.extent(0), c.extent(1)});
  std::optional<cyclic_matrix<T>> copy_of_a, copy_of_b;
  const cyclic_matrix<T>& left = dealt_as(a, 0, c, copy_of_a);
  const cyclic_matrix<T>& right = dealt_as(b, 1, c, copy_of_b);
  meet(t);
  try {
    for (const cyclic_tile<T>& tile : c.local())
      for (std::size_t i = 0; i < tile.cells.extent(0); ++i)
        for (std::size_t j = 0; j < tile.cells.extent(1); ++j) tile(i, j) = beta == T(0) ? T(0) : beta * tile(i, j);
    add_panels(alpha, left, right, c);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  count_elements(c.size() / std::size_t(t.size()));
  finish(t, "gemm", why);
}

/// All members have all of x, add up what their tiles give for all rows, and have those sums together.
template <class T>
void product(T alpha, const cyclic_matrix<T>& a, const array<T>& x, T beta, array<T>& y) {
  algorithm_call why("gemv", y, x);
  const team& t = y.members();
  require_same_members(a.members(), t);
  require_same_members(x.members(), t);
  if (x.size() != a.extent(1)) [[unlikely]]
    throw_vector_length("gemv", "input", x.size(), a.extent(1));
  if (y.size() != a.extent(0)) [[unlikely]]
    throw_vector_length("gemv", "output", y.size(), a.extent(0));
  meet(t);
  const std::vector<T> all = everything(x);
  std::vector<T> sums(a.extent(0));
  for (const cyclic_tile<const T>& tile : a.local())
    for (std::size_t i = 0; i < tile.cells.extent(0); ++i)
      for (std::size_t j = 0; j < tile.cells.extent(1); ++j) sums[tile.origin[0] + i] += tile(i, j) * all[tile.origin[1] + j];
  t.all_reduce(std::span<T>(sums), std::plus<>{});
  for (std::size_t k = 0; k < y.local().size(); ++k) {
    T& e = y.local()[k];
    e = alpha * sums[y.index_of_local(k)] + (beta == T(0) ? T(0) : beta * e);
  }
  count_elements(a.size() / std::size_t(t.size()));
  finish(t, "gemv", why);
}

template <class T>
void turn(const cyclic_matrix<T>& in, cyclic_matrix<T>& out) {
  algorithm_call why("transpose", out.range());
  const team& t = out.members();
  require_same_members(in.members(), t);
  if (&in == &out || in.extent(0) != out.extent(1) || in.extent(1) != out.extent(0)) [[unlikely]]
    throw_transposed_shape(out.extent(0), out.extent(1), in.extent(0), in.extent(1));
  meet(t);
  for (const cyclic_tile<T>& tile : out.local()) {
    const box<2> from = {{tile.origin[1], tile.origin[0]},
                         {tile.origin[1] + tile.cells.extent(1), tile.origin[0] + tile.cells.extent(0)}};
    each_part(in, from, [&](const box<2>& part, const global_ptr<const T>& at, const std::array<std::ptrdiff_t, 2>& there) {
      T* const to = &tile(part.begin[1] - tile.origin[0], part.begin[0] - tile.origin[1]);
      get_strided(to, at, strided<2>{{part.extent(0), part.extent(1)}, {1, tile.cells.stride(0)}, there});
    });
  }
  sync_memory();
  count_elements(out.size() / std::size_t(t.size()));
  finish(t, "transpose", why);
}

}  // namespace armilla::detail
