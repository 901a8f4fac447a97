// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/container/grid/matrix_inline.hpp"
#include "armilla/container/image/save.hpp"

/// How the cells of a matrix are saved: block behind block, in the order of members, each row by row and without its halo.
namespace armilla::detail {

template <class T, std::size_t N>
saved_type saved_cells() {
  return {saved_kind::matrix, sizeof(T), element_name<T>::text, N};
}

/// Collective. `first`: where this member's block begins, with its halo.
template <class T, std::size_t N>
void save_cells(const matrix_plan<N>& plan, const T* first, const std::string& path) {
  saved_grid grid{N};
  for (std::size_t d = 0; d < N; ++d) {
    grid.extents[d] = plan.shape.extents()[d];
    grid.blocks[d] = std::uint64_t(plan.shape.blocks(d));
  }
  const saved_type type = saved_cells<T, N>();
  if (!has_halo<N>(plan.around)) return save_raw(plan.members, path, type, grid, first, plan.mine.volume);
  save_walked(plan.members, path, type, grid, [&](piece_writer& to) {
    each_row(plan.mine.cells, [&](const std::array<std::size_t, N>& row) {
      to.put_raw(first + plan.mine.offset_of_cell(row), plan.mine.cells.extent(N - 1), sizeof(T));
    });
  });
}

/// How the matrix of a file was cut.
template <std::size_t N>
grid_shape<N> saved_shape(const saved_grid& g) {
  std::array<std::size_t, N> extents;
  std::vector<rank_t> blocks;
  rank_t members = 1;
  for (std::size_t d = 0; d < N; ++d) {
    extents[d] = std::size_t(g.extents[d]);
    blocks.push_back(rank_t(g.blocks[d]));
    members *= blocks.back();
  }
  return grid_shape<N>(extents, members, blocks);
}

/// Fills this member's own cells of a matrix that has the extents of the file's.
template <class T, std::size_t N>
void fill_cells(saved_file& file, const matrix_plan<N>& plan, T* first) {
  const grid_shape<N> saved = saved_shape<N>(file.grid());
  const box<N>& mine = plan.mine.cells;
  std::uint64_t before = 0;  // cells in the file in front of the block
  for (rank_t m = 0, members = rank_t(file.grid().block_count()); m < members; ++m) {
    const box<N> block = saved.box_of(m);
    box<N> both;
    bool whole_rows = !has_halo<N>(plan.around);
    for (std::size_t d = 0; d < N; ++d) {
      both.begin[d] = std::max(block.begin[d], mine.begin[d]);
      both.end[d] = std::min(block.end[d], mine.end[d]);
      if (d != 0) whole_rows = whole_rows && both.extent(d) == block.extent(d) && both.extent(d) == mine.extent(d);
    }
    const auto read = [&](const std::array<std::size_t, N>& cell, std::uint64_t n) {
      std::uint64_t at = 0;
      for (std::size_t d = 0; d < N; ++d) at = at * block.extent(d) + (cell[d] - block.begin[d]);
      file.read(before + at, n, first + plan.mine.offset_of_cell(cell));
    };
    if (whole_rows && both.volume() != 0)
      read(both.begin, both.volume());
    else
      each_row(both, [&](const std::array<std::size_t, N>& row) { read(row, both.extent(N - 1)); });
    before += block.volume();
  }
}

}  // namespace armilla::detail
