// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "armilla/container/grid/matrix_inline.hpp"
#include "armilla/container/views/part_views_inline.hpp"
#include "armilla/local_span.hpp"
#include "armilla/range.hpp"
#include "armilla/strided.hpp"

/// The views of parts of matrices.
namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_bad_block(std::size_t dimension, std::size_t first, std::size_t last, std::size_t extent);
[[noreturn, gnu::cold]] void throw_cut_lines(const char* view, std::size_t dimension, rank_t blocks);
[[noreturn, gnu::cold]] void throw_bad_tiles(std::size_t dimension);

template <std::size_t N>
box<N> common_part(const box<N>& a, const box<N>& b) noexcept {
  box<N> both;
  for (std::size_t d = 0; d < N; ++d) {
    both.begin[d] = std::max(a.begin[d], b.begin[d]);
    both.end[d] = std::max(both.begin[d], std::min(a.end[d], b.end[d]));
  }
  return both;
}

/// Points of a box, numbered row by row.
template <std::size_t N>
std::array<std::size_t, N> point_of(const box<N>& b, std::size_t i) noexcept {
  std::array<std::size_t, N> at;
  for (std::size_t d = N; d-- > 0;) {
    at[d] = b.begin[d] + i % b.extent(d);
    i /= b.extent(d);
  }
  return at;
}
template <std::size_t N>
std::size_t place_in(const box<N>& b, const std::array<std::size_t, N>& at) noexcept {
  std::size_t i = 0;
  for (std::size_t d = 0; d < N; ++d) i = i * b.extent(d) + (at[d] - b.begin[d]);
  return i;
}
/// The number in `all` of the first point of `part` that is not before number i; the volume if there is none.
template <std::size_t N>
std::size_t next_in(const box<N>& all, const box<N>& part, std::size_t i) noexcept {
  if (i >= all.volume() || part.volume() == 0) return all.volume();
  auto at = point_of(all, i);
  return to_next(part, at) ? place_in(all, at) : all.volume();
}

/// The cells of a box, row by row. A run is the part of a row that one member has.
template <class T, std::size_t N>
class block_view : public over<matrix_range<T, N>>, public with_index<block_view<T, N>> {
 public:
  using value_type = std::remove_const_t<T>;
  static constexpr bool writable = !std::is_const_v<T>, sized = true, by_place = false;

  block_view(const matrix_range<T, N>& base, const box<N>& cells) : over<matrix_range<T, N>>(base), cells_(cells) {}

  std::size_t size() const noexcept { return cells_.volume(); }
  std::size_t extent() const noexcept { return size(); }
  auto reading() const { return block_view<const T, N>(this->base_.reading(), cells_); }
  run run_at(std::size_t i) const noexcept {
    const auto cell = point_of(cells_, i);
    const rank_t m = shape().member_of(cell);
    const box<N> b = common_part(shape().box_of(m), cells_);
    return {m, i - (cell[N - 1] - b.begin[N - 1]), i + (b.end[N - 1] - cell[N - 1])};
  }
  std::size_t next_on(rank_t member, std::size_t i) const noexcept {
    return next_in(cells_, common_part(shape().box_of(member), cells_), i);
  }
  common_places common() const noexcept { return {}; }
  bool reaches(std::size_t i) const { return this->base_.reaches(below(i)); }
  auto window(std::size_t first, std::size_t& n, scratch& s) const { return this->base_.window(below(first), n, s); }
  /// Of a box whose cells do not follow each other nothing is known.
  template <class F>
  void each_container(const element_map& at, F f) const {
    const std::size_t n = size();
    if (n == 0 || below(n - 1) - below(0) != n - 1) return;
    this->base_.each_container({at.first + std::ptrdiff_t(below(0)), at.step, at.n, at.exact}, f);
  }

 private:
  const grid_shape<N>& shape() const noexcept { return this->base_.plan().shape; }
  std::size_t below(std::size_t i) const noexcept { return shape().index_of(point_of(cells_, i)); }

  box<N> cells_;
};

/// Cells of another member that do not follow each other in its memory, fetched into memory where they do.
template <class T, std::size_t N>
class fetched_cells final : public fetched_run {
 public:
  fetched_cells(global_address from, const std::array<std::size_t, N>& extents, const std::array<std::ptrdiff_t, N>& strides)
      : from_(from), part_{.extent = extents, .local = {}, .global = strides} {
    std::size_t volume = 1;
    for (std::size_t d = N; d-- > 0;) {
      part_.local[d] = std::ptrdiff_t(volume);
      volume *= extents[d];
    }
    cells_ = std::make_unique<T[]>(volume);
    get_strided(cells_.get(), global_ptr<const T>(from_), part_);
    sync_memory();
  }
  T* begin() const noexcept { return cells_.get(); }
  const std::array<std::ptrdiff_t, N>& strides() const noexcept { return part_.local; }
  void put_back() override {
    put_strided(global_ptr<T>(from_), cells_.get(), part_);
    sync_memory();
  }

 private:
  global_address from_;
  strided<N> part_;
  std::unique_ptr<T[]> cells_;
};

/// A part of one member's block: where it lies, or a copy, which is put back unless T is const.
template <class T, std::size_t N>
local_span<T, N> cells_at(global_address at, const std::array<std::size_t, N>& extents,
                          const std::array<std::ptrdiff_t, N>& strides, scratch& s) {
  if (std::byte* p = direct<alignof(T)>(at)) [[likely]]
    return {reinterpret_cast<T*>(p), extents, strides};
  if (void* p = local_far(at, alignof(T))) return {static_cast<T*>(p), extents, strides};
  using plain = std::remove_const_t<T>;
  std::size_t volume = 1;
  for (const std::size_t n : extents) volume *= n;
  auto& kept = s.keep(std::make_unique<fetched_cells<plain, N>>(at, extents, strides), volume, !std::is_const_v<T>);
  return {kept.begin(), extents, kept.strides()};
}

/// A column: the cells (i, j) of one j. A run is what one block has of it.
template <class T>
class column_view : public over<matrix_range<T, 2>>, public with_index<column_view<T>> {
 public:
  using value_type = std::remove_const_t<T>;
  static constexpr bool writable = !std::is_const_v<T>, sized = true, by_place = false;

  column_view(const matrix_range<T, 2>& base, std::size_t j) : over<matrix_range<T, 2>>(base), j_(j) {}

  std::size_t size() const noexcept { return shape().extents()[0]; }
  std::size_t extent() const noexcept { return size(); }
  auto reading() const { return column_view<const T>(this->base_.reading(), j_); }
  run run_at(std::size_t i) const noexcept {
    const rank_t block = shape().block_of(0, i);
    return {shape().member_of({i, j_}), shape().begin_of(0, block), shape().begin_of(0, block + 1)};
  }
  std::size_t next_on(rank_t member, std::size_t i) const noexcept {
    const box<2> b = shape().box_of(member);
    const bool has = b.begin[1] <= j_ && j_ < b.end[1] && i < b.end[0] && b.extent(0) != 0;
    return has ? std::max(i, b.begin[0]) : size();
  }
  common_places common() const noexcept { return {}; }
  bool ordered() const noexcept { return true; }
  bool reaches(std::size_t i) const { return this->base_.reaches(shape().index_of({i, j_})); }
  auto window(std::size_t first, std::size_t& n, scratch& s) const {
    if (n > scratch::most<T> && !reaches(first)) n = scratch::most<T>;
    const auto& plan = this->base_.plan();
    const std::ptrdiff_t stride = plan.layout_of(shape().member_of({first, j_})).stride[0];
    return cells_at<T, 1>(this->base_.address_of({first, j_}), {n}, {stride}, s);
  }
  template <class F>
  void each_container(const element_map& at, F f) const {
    const auto row = std::ptrdiff_t(shape().extents()[1]);
    this->base_.each_container({at.first * row + std::ptrdiff_t(j_), at.step * row, at.n, at.exact}, f);
  }

 private:
  const grid_shape<2>& shape() const noexcept { return this->base_.plan().shape; }

  std::size_t j_;
};

/// What algorithms get for a tile: itself, or in one dimension where it is a line.
struct as_tile {
  template <class T, std::size_t N>
  static local_span<T, N> of(const local_span<T, N>& tile) {
    return tile;
  }
};
template <std::size_t Along>
struct as_line {
  template <class T>
  static local_span<T, 1> of(const local_span<T, 2>& tile) {
    return {tile.data(), {tile.extent(Along)}, {tile.stride(Along)}};
  }
};

template <class T, std::size_t N, class As>
struct one_tile {
  local_span<T, N> tile;
  auto operator[](std::size_t) const { return As::of(tile); }
};

/// The blocks of all members, each cut into tiles, which are numbered row by row.
template <class T, std::size_t N, class As>
class tiles_view : public over<matrix_range<T, N>> {
 public:
  using value_type = decltype(As::of(std::declval<local_span<T, N>>()));
  using point = std::array<std::size_t, N>;
  static constexpr bool writable = false, sized = true, by_place = false;

  tiles_view(const matrix_range<T, N>& base, const point& sizes) : over<matrix_range<T, N>>(base), sizes_(sizes) {
    for (std::size_t d = 0; d < N; ++d) {
      begins_[d].push_back(0);
      for (rank_t b = 0; b < shape().blocks(d); ++b)
        begins_[d].push_back(begins_[d].back() + (shape().begin_of(d, b + 1) - shape().begin_of(d, b) + sizes[d] - 1) / sizes[d]);
      all_.end[d] = begins_[d].back();
    }
  }

  std::size_t size() const noexcept { return all_.volume(); }
  std::size_t extent() const noexcept { return size(); }
  auto reading() const { return tiles_view<const T, N, As>(this->base_.reading(), sizes_); }
  run run_at(std::size_t i) const noexcept { return {shape().member_of(cells_of(i).begin), i, i + 1}; }
  std::size_t next_on(rank_t member, std::size_t i) const noexcept {
    const auto block = shape().block_of_member(member);
    box<N> theirs;
    for (std::size_t d = 0; d < N; ++d) {
      theirs.begin[d] = begins_[d][std::size_t(block[d])];
      theirs.end[d] = begins_[d][std::size_t(block[d]) + 1];
    }
    return next_in(all_, theirs, i);
  }
  common_places common() const noexcept { return {}; }
  bool reaches(std::size_t i) const { return this->base_.reaches(shape().index_of(cells_of(i).begin)); }
  auto window(std::size_t first, std::size_t& n, scratch& s) const {
    n = 1;
    const box<N> cells = cells_of(first);
    const auto& plan = this->base_.plan();
    point extents;
    for (std::size_t d = 0; d < N; ++d) extents[d] = cells.extent(d);
    const auto& strides = plan.layout_of(shape().member_of(cells.begin)).stride;
    return one_tile<T, N, As>{cells_at<T, N>(this->base_.address_of(cells.begin), extents, strides, s)};
  }
  template <class F>
  void each_container(const element_map&, F f) const {
    this->base_.each_container({0, 1, this->base_.extent(), false}, f);
  }

 private:
  const grid_shape<N>& shape() const noexcept { return this->base_.plan().shape; }
  box<N> cells_of(std::size_t i) const noexcept {
    const point tile = point_of(all_, i);
    box<N> cells;
    for (std::size_t d = 0; d < N; ++d) {
      const auto& begins = begins_[d];
      const auto block = rank_t(std::ranges::upper_bound(begins, tile[d]) - begins.begin()) - 1;
      cells.begin[d] = shape().begin_of(d, block) + (tile[d] - begins[std::size_t(block)]) * sizes_[d];
      cells.end[d] = std::min(cells.begin[d] + sizes_[d], shape().begin_of(d, block + 1));
    }
    return cells;
  }

  point sizes_;
  std::array<std::vector<std::size_t>, N> begins_;  ///< the first tile of each block
  box<N> all_;
};

template <class R>
concept matrix_shaped = requires { views::all_t<R>::dimensions; };
template <class R>
concept has_rows = matrix_shaped<R> && views::all_t<R>::dimensions == 2;
template <class R>
using cell_coordinates = std::array<std::size_t, views::all_t<R>::dimensions>;

template <class V>
std::size_t checked_line(const V& v, std::size_t d, std::size_t i) {
  const std::size_t n = v.plan().shape.extents()[d];
  if (i >= n) [[unlikely]]
    throw_cell(nullptr, d, i, n);
  return i;
}

/// Whole lines along a dimension, which no border between blocks cuts.
template <std::size_t Along, class V>
auto lines_of(const V& v, const char* view) {
  const auto& shape = v.plan().shape;
  if (shape.blocks(Along) != 1) [[unlikely]]
    throw_cut_lines(view, Along, shape.blocks(Along));
  std::array<std::size_t, 2> sizes{1, 1};
  sizes[Along] = std::max<std::size_t>(1, shape.extents()[Along]);
  return tiles_view<typename V::element, 2, as_line<Along>>(v, sizes);
}

}  // namespace armilla::detail
