// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "armilla/container/grid/matrix_inline.hpp"
#include "armilla/container/image/keep.hpp"

namespace armilla {

/// The cells from `begin` to `end` in each dimension.
template <std::size_t N>
struct cell_range {
  std::array<std::size_t, N> begin{}, end{};
  friend bool operator==(const cell_range&, const cell_range&) = default;
};

namespace detail {

/// As many blocks as `members`, in those dimensions that were cut before.
std::vector<rank_t> blocks_over(std::span<const std::size_t> extents, std::span<const rank_t> before, rank_t members);

/// How a matrix is cut for another number of members.
template <std::size_t N>
grid_shape<N> shape_over(const grid_shape<N>& was, rank_t members) {
  std::array<rank_t, N> blocks;
  rank_t all = 1;
  for (std::size_t d = 0; d < N; ++d) blocks[d] = was.blocks(d), all *= blocks[d];
  if (all == members) return was;
  return grid_shape<N>(was.extents(), members, blocks_over(was.extents(), blocks, members));
}

/// Fills this member's own cells; `parts` are the blocks of the members of `was`, with their halos.
template <class T, std::size_t N>
void fill_from_parts(const matrix_plan<N>& was, std::span<const kept_part> parts, const matrix_plan<N>& now, T* first) {
  for (rank_t m = 0; m < was.members.size(); ++m) {
    if (parts[std::size_t(m)].gone()) continue;
    const block_layout<N> there = was.layout_of(m);
    box<N> both;
    for (std::size_t d = 0; d < N; ++d) {
      both.begin[d] = std::max(there.cells.begin[d], now.mine.cells.begin[d]);
      both.end[d] = std::min(there.cells.end[d], now.mine.cells.end[d]);
    }
    if (both.volume() == 0) continue;
    const std::byte* const part = parts[std::size_t(m)].data();
    each_row(both, [&](const std::array<std::size_t, N>& row) {
      std::memcpy(static_cast<void*>(first + now.mine.offset_of_cell(row)),
                  part + there.offset_of_cell(row) * std::ptrdiff_t(sizeof(T)), both.extent(N - 1) * sizeof(T));
    });
  }
}

template <std::size_t N>
using matrix_shape = kept_shape<std::shared_ptr<const matrix_plan<N>>, cell_range<N>>;

/// Blocks that are gone, and what was gone before.
template <std::size_t N>
std::vector<cell_range<N>> gone_cells(const matrix_shape<N>& shape, std::span<const kept_part> parts) {
  const matrix_plan<N>& was = *shape.places;
  std::vector<cell_range<N>> gone = shape.gone;
  for (rank_t m = 0; m < was.members.size(); ++m)
    if (const box<N> block = was.shape.box_of(m); parts[std::size_t(m)].gone() && block.volume() != 0)
      gone.push_back({block.begin, block.end});
  return gone;
}

}  // namespace detail
}  // namespace armilla
