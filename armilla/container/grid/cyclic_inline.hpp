// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <type_traits>

#include "armilla/container/grid/matrix_inline.hpp"
#include "armilla/container/views/mapped_views_inline.hpp"
#include "armilla/strided.hpp"

/// What a cyclic_matrix is inside: a matrix of blocks in which each member's tiles lie together, and the order of their cells.
namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_unlike_extents(const void* matrix, const std::array<std::size_t, 2>& from,
                                                  const std::array<std::size_t, 2>& to);

/// The indices of one dimension, in tiles that its members have in turn. Each member has room for as many tiles as the first, but
/// for no more indices than there are.
struct dealt_dimension {
  std::size_t extent = 0, tile = 1;
  rank_t members = 1;

  friend bool operator==(const dealt_dimension&, const dealt_dimension&) = default;
  std::size_t tiles() const noexcept { return extent / tile + (extent % tile != 0 ? 1 : 0); }
  std::size_t room() const noexcept {
    const auto n = std::size_t(members);
    return std::min((tiles() + n - 1) / n * tile, extent);
  }
  rank_t owner_of(std::size_t i) const noexcept { return rank_t(i / tile % std::size_t(members)); }
  /// Where index i is if the members' rooms lie one after the other.
  std::size_t place_of(std::size_t i) const noexcept {
    const std::size_t t = i / tile, n = std::size_t(members);
    return t % n * room() + t / n * tile + i % tile;
  }
  std::size_t tile_begin(std::size_t i) const noexcept { return i - i % tile; }
  std::size_t tile_end(std::size_t i) const noexcept { return extent - tile_begin(i) > tile ? tile_begin(i) + tile : extent; }
  /// The first index from i on that `member` has, or the extent.
  std::size_t next_on(rank_t member, std::size_t i) const noexcept {
    if (i >= extent || owner_of(i) == member) return std::min(i, extent);
    const std::size_t n = std::size_t(members), turn = i / tile % n, further = (std::size_t(member) + n - turn) % n;
    const std::size_t t = i / tile + further;
    return t < tiles() ? t * tile : extent;
  }
  /// How many indices a member has.
  std::size_t count(rank_t member) const noexcept {
    const std::size_t n = std::size_t(members), m = std::size_t(member), all = tiles();
    if (m >= all) return 0;
    const std::size_t own = (all - 1 - m) / n + 1, last = m + (own - 1) * n;
    return (own - 1) * tile + (last + 1 == all ? extent - last * tile : tile);
  }
};

/// Which member has which cell. Members are numbered row by row of their grid.
struct cyclic_shape {
  using point = std::array<std::size_t, 2>;
  std::array<dealt_dimension, 2> in{};

  friend bool operator==(const cyclic_shape&, const cyclic_shape&) = default;
  std::size_t size() const noexcept { return in[0].extent * in[1].extent; }
  point place_of(const point& cell) const noexcept { return {in[0].place_of(cell[0]), in[1].place_of(cell[1])}; }
  rank_t row_of_member(rank_t m) const noexcept { return m / in[1].members; }
  rank_t column_of_member(rank_t m) const noexcept { return m % in[1].members; }
  rank_t member_of(const point& cell) const noexcept { return in[0].owner_of(cell[0]) * in[1].members + in[1].owner_of(cell[1]); }
  std::size_t index_of(const point& cell) const noexcept { return cell[0] * in[1].extent + cell[1]; }
  point cell_of(std::size_t i) const noexcept { return {i / in[1].extent, i % in[1].extent}; }
  /// The rooms of all members: the extents of the matrix of blocks.
  point rooms() const noexcept { return {in[0].room() * std::size_t(in[0].members), in[1].room() * std::size_t(in[1].members)}; }
  /// Calls f(part) for the parts of `b` that lie in one tile each.
  template <class F>
  void each_tile(const box<2>& b, F f) const {
    for (std::size_t i = b.begin[0]; i < b.end[0]; i = in[0].tile_end(i))
      for (std::size_t j = b.begin[1]; j < b.end[1]; j = in[1].tile_end(j))
        f(box<2>{{i, j}, {std::min(in[0].tile_end(i), b.end[0]), std::min(in[1].tile_end(j), b.end[1])}});
  }
  /// Calls f(tile) for the tiles of a member.
  template <class F>
  void each_tile_of(rank_t m, F f) const {
    const rank_t row = row_of_member(m), column = column_of_member(m);
    for (std::size_t i = in[0].next_on(row, 0); i < in[0].extent; i = in[0].next_on(row, in[0].tile_end(i)))
      for (std::size_t j = in[1].next_on(column, 0); j < in[1].extent; j = in[1].next_on(column, in[1].tile_end(j)))
        f(box<2>{{i, j}, {in[0].tile_end(i), in[1].tile_end(j)}});
  }
};

/// `tile` cells in each dimension, over the members as `g` says. usage_error for a tile without cells.
cyclic_shape cyclic_over(const cyclic_shape::point& extents, const cyclic_shape::point& tile, rank_t members,
                         const std::vector<rank_t>& given);

/// All cells row by row. A run is the part of a row in one tile.
template <class T>
class cyclic_range : public with_index<cyclic_range<T>> {
 public:
  using value_type = std::remove_const_t<T>;
  using element = T;
  static constexpr bool writable = !std::is_const_v<T>, sized = true, by_place = false;

  cyclic_range(const cyclic_shape& shape, const matrix_range<T, 2>& cells) : shape_(&shape), cells_(cells) {}

  std::size_t size() const noexcept { return shape_->size(); }
  std::size_t extent() const noexcept { return size(); }
  cyclic_range<const T> reading() const noexcept { return {*shape_, cells_.reading()}; }
  const team& members() const noexcept { return cells_.members(); }
  bool ordered() const noexcept { return members().size() == 1; }
  common_places common() const noexcept { return {nullptr, false, shape_, &same_shape}; }
  run run_at(std::size_t i) const noexcept {
    const auto cell = shape_->cell_of(i);
    const dealt_dimension& columns = shape_->in[1];
    const std::size_t row = i - cell[1];
    if (columns.members == 1) return {shape_->member_of(cell), row, row + columns.extent};
    return {shape_->member_of(cell), row + columns.tile_begin(cell[1]), row + columns.tile_end(cell[1])};
  }
  std::size_t next_on(rank_t member, std::size_t i) const noexcept {
    const auto& [rows, columns] = shape_->in;
    if (i >= size()) return size();
    auto [row, column] = shape_->cell_of(i);
    const rank_t of_row = shape_->row_of_member(member), of_column = shape_->column_of_member(member);
    if (rows.owner_of(row) == of_row) {
      column = columns.next_on(of_column, column);
      if (column < columns.extent) return shape_->index_of({row, column});
      ++row;
    }
    row = rows.next_on(of_row, row);
    column = columns.next_on(of_column, 0);
    return row < rows.extent && column < columns.extent ? shape_->index_of({row, column}) : size();
  }
  T* window(std::size_t first, std::size_t& n, scratch& s) const { return elements_at<T>(address(first), n, s); }
  bool reaches(std::size_t i) const { return global_ptr<std::byte>(address(i)).is_mapped(); }
  template <class F>
  void each_container(const element_map&, F f) const {
    cells_.each_container({0, 1, cells_.extent(), false}, f);
  }

 private:
  static bool same_shape(const void* a, const void* b) {
    return *static_cast<const cyclic_shape*>(a) == *static_cast<const cyclic_shape*>(b);
  }
  global_address address(std::size_t i) const noexcept { return cells_.address_of(shape_->place_of(shape_->cell_of(i))); }

  const cyclic_shape* shape_;
  matrix_range<T, 2> cells_;
};

}  // namespace armilla::detail
