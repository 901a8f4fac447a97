// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>

#include "armilla/algorithm/elementwise/walk.hpp"
#include "armilla/container/views/zip_view.hpp"
#include "armilla/matrix.hpp"
#include "armilla/strided.hpp"

/// What `transpose` does inside.
namespace armilla::detail {

/// Calls f(part) for parts of `all` of at most `side` rows and columns.
template <class F>
void each_tile(const box<2>& all, std::size_t side, F f) {
  for (std::size_t i = all.begin[0]; i < all.end[0]; i += side)
    for (std::size_t j = all.begin[1]; j < all.end[1]; j += side)
      f(box<2>{{i, j}, {std::min(i + side, all.end[0]), std::min(j + side, all.end[1])}});
}

/// The cells of `in` in one box of one member become cells of this rank's part of `out`.
template <class T>
void take_turned(const matrix<T, 2>& in, const matrix<T, 2>& out, const box<2>& from) {
  const rank_t owner = in.plan().shape.member_of(from.begin);
  const block_layout<2> theirs = in.plan().layout_of(owner);
  const block_layout<2>& mine = out.plan().mine;
  const global_ptr<const T> source(in.ptr(from.begin));
  T* const to = out.first() + mine.offset_of_cell({from.begin[1], from.begin[0]});
  get_strided(to, source, strided<2>{{from.extent(0), from.extent(1)}, {1, mine.stride[0]}, theirs.stride});
}

template <class T>
void turn(const matrix<T, 2>& in, matrix<T, 2>& out) {
  algorithm_call why("transpose", out);
  const team& t = out.members();
  require_same_members(in.members(), t);
  if (&in == &out || in.extent(0) != out.extent(1) || in.extent(1) != out.extent(0)) [[unlikely]]
    throw_transposed_shape(out.extent(0), out.extent(1), in.extent(0), in.extent(1));
  meet(t);
  constexpr std::size_t side = 64;  // lines of both tiles stay in the cache
  const box<2>& mine = out.plan().mine.cells;
  for (rank_t m = 0; m < t.size(); ++m) {
    box<2> part = in.plan().shape.box_of((t.rank() + m) % t.size());
    for (std::size_t d = 0; d < 2; ++d) {
      part.begin[d] = std::max(part.begin[d], mine.begin[1 - d]);
      part.end[d] = std::min(part.end[d], mine.end[1 - d]);
    }
    if (part.volume() == 0) continue;
    const bool mapped = in.ptr(part.begin).is_mapped();
    each_tile(part, mapped ? side : std::max(part.extent(0), part.extent(1)),
              [&](const box<2>& tile) { take_turned(in, out, tile); });
    if (m != 0) count_moved(part.volume());
  }
  sync_memory();
  count_elements(mine.volume());
  finish(t, "transpose", why);
}

}  // namespace armilla::detail
