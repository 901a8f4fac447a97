// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <vector>

#include "armilla/base/values/extents.hpp"
#include "armilla/base/values/limits.hpp"
#include "armilla/container/place/dimension.hpp"
#include "armilla/team.hpp"

namespace armilla {

/// How a matrix is distributed: the number of blocks in each dimension, and the ranks that have them.
///
/// `grid()` chooses the numbers so that blocks have short borders. `grid({2, 3})` makes two rows of three blocks, for a team of 6
/// ranks. The lengths of the blocks of a dimension differ by one at most.
///
///     am::matrix<double> a({100, 200}), rows({100, 200}, am::grid({am::ranks(), 1}));   // rows: none is cut
class grid {
 public:
  grid() = default;
  explicit grid(std::vector<rank_t> blocks) : blocks_(std::move(blocks)) {}

  /// Returns the ranks: those that `on` named, otherwise `world()`.
  team members() const { return members_ ? members_ : world(); }
  /// Returns the number of blocks in each dimension; empty if the library chooses.
  const std::vector<rank_t>& blocks() const noexcept { return blocks_; }

 private:
  friend grid on(const team& t, grid g);
  team members_;
  std::vector<rank_t> blocks_;
};

/// Returns `g` over the ranks of `t`.
inline grid on(const team& t, grid g) {
  g.members_ = t;
  return g;
}

/// How many cells of its neighbors each block of a matrix holds around itself.
///
/// `halo(w)` is `w` cells wide on each side. Beyond the border of the whole matrix, a halo holds what `matrix::set_border` says,
/// or in a periodic dimension the cells of the other end. Each function returns a changed copy. Throws `usage_error` for a width
/// that is negative.
///
///     am::matrix<double> torus({100, 200}, am::grid(), am::halo(1).periodic());
///     am::matrix<double> upwind({100, 200}, am::grid(), am::halo(0).sides(0, 2, 0).corners(false));
class halo {
 public:
  halo() = default;
  explicit halo(std::size_t width) : before_{width, width, width}, behind_{width, width, width} { require_width(width); }

  /// Sets the widths in `dimension` (0 to 2): `before` cells before a block's first one, `behind` cells after its last one.
  halo sides(std::size_t dimension, std::size_t before, std::size_t behind) const {
    detail::dimension_below(3, dimension);
    require_width(before);
    require_width(behind);
    halo h = *this;
    h.before_[dimension] = before;
    h.behind_[dimension] = behind;
    return h;
  }

  /// Makes all dimensions periodic, or none.
  halo periodic(bool yes = true) const { return periodic(std::vector<bool>(3, yes)); }
  /// Makes dimension `d` periodic if `each[d]`. Dimensions that `each` does not have are not periodic.
  halo periodic(std::vector<bool> each) const {
    halo h = *this;
    h.periodic_ = std::move(each);
    return h;
  }
  /// Says whether an exchange also copies corner cells, which are beyond two borders or more. It does by default.
  halo corners(bool yes) const {
    halo h = *this;
    h.corners_ = yes;
    return h;
  }

  /// Returns the width before a block's first cell, in `dimension`.
  std::size_t before(std::size_t dimension) const { return before_[detail::dimension_below(3, dimension)]; }
  /// Returns the width after a block's last cell, in `dimension`.
  std::size_t behind(std::size_t dimension) const { return behind_[detail::dimension_below(3, dimension)]; }
  /// Returns whether an exchange also copies corner cells.
  bool has_corners() const noexcept { return corners_; }
  /// Returns whether `dimension` is periodic.
  bool is_periodic(std::size_t dimension) const { return dimension < periodic_.size() && periodic_[dimension]; }

 private:
  static void require_width(std::size_t width);

  std::array<std::size_t, 3> before_{}, behind_{};
  bool corners_ = true;
  std::vector<bool> periodic_;
};

// ---- Implementation only below ----

namespace detail {

/// Cells from `begin` on, up to `end` exclusive, in each dimension.
template <std::size_t N>
struct box {
  std::array<std::size_t, N> begin{}, end{};

  std::size_t extent(std::size_t d) const noexcept { return end[d] > begin[d] ? end[d] - begin[d] : 0; }
  std::size_t volume() const noexcept {
    std::size_t all = 1;
    for (std::size_t d = 0; d < N; ++d) all *= extent(d);
    return all;
  }
  friend bool operator==(const box&, const box&) = default;
};

/// Calls f(coordinates) for the first cell of each row of `b`, in the order of indices.
template <std::size_t N, class F>
void each_row(const box<N>& b, F f) {
  if (b.volume() == 0) return;
  std::array<std::size_t, N> at = b.begin;
  for (;;) {
    f(std::as_const(at));
    std::size_t d = N - 1;
    for (;;) {
      if (d == 0) return;
      --d;
      if (++at[d] < b.end[d]) break;
      at[d] = b.begin[d];
    }
  }
}

/// Into how many blocks each dimension is cut: a product of `members`, with the shortest border.
void choose_blocks(std::size_t dimensions, const std::size_t* extents, rank_t members, rank_t* blocks);

/// Takes the numbers that the program gives. usage_error unless they are as many as dimensions, and their product the members.
void take_blocks(std::size_t dimensions, const std::vector<rank_t>& given, rank_t members, rank_t* blocks);
[[noreturn, gnu::cold]] void throw_beyond_halo(const char* operation, std::size_t dimension, std::ptrdiff_t i,
                                               std::ptrdiff_t first, std::ptrdiff_t end);
[[noreturn, gnu::cold]] void throw_cell(const void* inside, std::size_t dimension, std::size_t i, std::size_t extent);
[[noreturn, gnu::cold]] void throw_too_large(std::size_t dimensions, const std::size_t* extents);

/// Of how many pieces a member's halo may be made.
inline constexpr std::uint64_t most_halo_pieces = std::uint64_t{1} << 22;
[[noreturn, gnu::cold]] void throw_block_too_large(std::size_t dimensions, const std::size_t* extents, const std::size_t* before,
                                                   const std::size_t* behind, std::size_t bytes);
[[noreturn, gnu::cold]] void throw_halo_in_pieces(std::size_t dimensions, const std::size_t* extents, const std::size_t* before,
                                                  const std::size_t* behind);
[[noreturn, gnu::cold]] void throw_no_matrix();
[[noreturn, gnu::cold]] void throw_product_shapes(const std::array<std::size_t, 2>& a, const std::array<std::size_t, 2>& b,
                                                  const std::array<std::size_t, 2>& c);
[[noreturn, gnu::cold]] void throw_transposed_shape(std::size_t rows, std::size_t columns, std::size_t in_rows,
                                                    std::size_t in_columns);
[[noreturn, gnu::cold]] void throw_stencil_shapes(bool same);
[[noreturn, gnu::cold]] void throw_beyond_halo(std::size_t dimension, std::ptrdiff_t distance, std::size_t width);

/// Which block has each cell of a matrix: the same value on all members.
template <std::size_t N>
class grid_shape {
 public:
  using point = std::array<std::size_t, N>;

  grid_shape() = default;
  grid_shape(const point& extents, rank_t members, const std::vector<rank_t>& given) : extents_(extents) {
    if (given.empty())
      choose_blocks(N, extents_.data(), members, blocks_.data());
    else
      take_blocks(N, given, members, blocks_.data());
    std::size_t room = std::size_t{1} << 60;
    for (const std::size_t n : extents_) {
      if (n > room) throw_too_large(N, extents_.data());
      room = n == 0 ? room : room / n;
    }
  }

  const point& extents() const noexcept { return extents_; }
  rank_t blocks(std::size_t d) const noexcept { return blocks_[d]; }
  std::size_t size() const noexcept { return box<N>{{}, extents_}.volume(); }
  friend bool operator==(const grid_shape&, const grid_shape&) = default;

  /// The block of dimension d that has coordinate i, and where a block begins.
  rank_t block_of(std::size_t d, std::size_t i) const noexcept {
    const std::size_t n = std::size_t(blocks_[d]), length = extents_[d] / n, longer = extents_[d] % n;
    return rank_t(i < longer * (length + 1) ? i / (length + 1) : longer + (i - longer * (length + 1)) / length);
  }
  std::size_t begin_of(std::size_t d, rank_t block) const noexcept {
    const std::size_t n = std::size_t(blocks_[d]), b = std::size_t(block);
    return b * (extents_[d] / n) + std::min(b, extents_[d] % n);
  }

  rank_t member_at(const std::array<rank_t, N>& block) const noexcept {
    rank_t m = 0;
    for (std::size_t d = 0; d < N; ++d) m = m * blocks_[d] + block[d];
    return m;
  }
  rank_t member_of(const point& cell) const noexcept {
    std::array<rank_t, N> block;
    for (std::size_t d = 0; d < N; ++d) block[d] = block_of(d, cell[d]);
    return member_at(block);
  }
  std::array<rank_t, N> block_of_member(rank_t m) const noexcept {
    std::array<rank_t, N> block;
    for (std::size_t d = N; d-- > 0;) {
      block[d] = m % blocks_[d];
      m /= blocks_[d];
    }
    return block;
  }
  box<N> box_of(rank_t m) const noexcept {
    const auto block = block_of_member(m);
    box<N> b;
    for (std::size_t d = 0; d < N; ++d) {
      b.begin[d] = begin_of(d, block[d]);
      b.end[d] = begin_of(d, block[d] + 1);
    }
    return b;
  }

  /// Cells are numbered row by row.
  std::size_t index_of(const point& cell) const noexcept {
    std::size_t i = 0;
    for (std::size_t d = 0; d < N; ++d) i = i * extents_[d] + cell[d];
    return i;
  }
  point cell_of(std::size_t i) const noexcept {
    point cell;
    for (std::size_t d = N; d-- > 0;) {
      cell[d] = i % extents_[d];
      i /= extents_[d];
    }
    return cell;
  }

 private:
  point extents_{};
  std::array<rank_t, N> blocks_{};
};

/// How the cells of one block are stored, the halo around them. `require_block` refuses one whose volume overflows.
template <std::size_t N>
struct block_layout {
  box<N> cells;
  std::array<std::size_t, N> before{}, behind{};  ///< widths of the halo
  std::array<std::ptrdiff_t, N> stride{};         ///< elements from a cell to the next one of a dimension
  std::size_t volume = 0;                         ///< with the halo; 0 where the block has no cells

  block_layout() = default;
  block_layout(const box<N>& c, const halo& around) : cells(c), volume(c.volume() == 0 ? 0 : 1) {
    for (std::size_t d = N; d-- > 0;) {
      before[d] = around.before(d);
      behind[d] = around.behind(d);
      stride[d] = std::ptrdiff_t(volume);
      volume = bounded_product(volume, bounded_sum(bounded_sum(before[d], behind[d]), cells.extent(d)));
    }
  }
  /// Elements from the block's begin to a cell; coordinates are relative to the first own cell.
  std::ptrdiff_t offset(const std::array<std::ptrdiff_t, N>& local) const noexcept {
    std::ptrdiff_t all = 0;
    for (std::size_t d = 0; d < N; ++d) all += (local[d] + std::ptrdiff_t(before[d])) * stride[d];
    return all;
  }
  std::ptrdiff_t offset_of_cell(const std::array<std::size_t, N>& cell) const noexcept {
    std::ptrdiff_t all = 0;
    for (std::size_t d = 0; d < N; ++d) all += std::ptrdiff_t(cell[d] - cells.begin[d] + before[d]) * stride[d];
    return all;
  }
};

/// limit_error if the cells of the largest block, `bytes` each, and of its halo are more than a rank can have. The same on all
/// members, without a message.
template <std::size_t N>
void require_block(const grid_shape<N>& shape, const block_layout<N>& largest, std::size_t bytes) {
  if (bounded_product(largest.volume, bytes) > most_segment_bytes)
    throw_block_too_large(N, shape.extents().data(), largest.before.data(), largest.behind.data(), bytes);
}

}  // namespace detail
}  // namespace armilla
