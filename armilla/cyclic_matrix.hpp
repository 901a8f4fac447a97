// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/container/grid/cyclic_inline.hpp"
#include "armilla/local_span.hpp"
#include "armilla/matrix.hpp"
#include "armilla/views.hpp"

namespace armilla {

/// A tile of a `cyclic_matrix` on this rank: `tile(i, j)` is the cell (origin[0] + i, origin[1] + j).
template <class T>
struct cyclic_tile {
  std::array<std::size_t, 2> origin{};  ///< the coordinates of its first cell
  local_span<T, 2> cells;
  T& operator()(std::size_t i, std::size_t j) const noexcept { return cells(i, j); }
};

namespace detail {

/// What a program might expect of any matrix, and what it uses instead. They are named where overloads are chosen, so that this
/// is all that the compiler says.
template <class H>
struct cyclic_halo {
  static_assert(
      !std::is_same_v<H, halo>,
      "armilla: a cyclic_matrix has no halo: use a matrix for stencils, am::matrix<T> m(extents, am::grid(), am::halo(1)). "
      "am::copy(a, m) copies the cells, and a.take(m) copies them back");
  using refused = int;
};
template <class T>
struct cyclic_views {
  static_assert(
      !std::is_same_v<T, T>,
      "armilla: a cyclic_matrix has views::row and views::column only: loop over its tiles, a.local(), or take the view "
      "of a copy, auto m = a.in_blocks(). a.take(m) copies the cells back");
  using refused = int;
};

}  // namespace detail

/// A two-dimensional matrix with a block-cyclic distribution, as in ScaLAPACK: tiles are assigned to a grid of ranks round-robin,
/// in both dimensions.
///
/// Use it if the active region of the matrix shrinks or moves, as in a factorization: each rank has tiles in all regions, so no
/// rank runs out of work. For stencils and everything else use a `matrix`, whose blocks are larger.
///
///     am::cyclic_matrix<double> a({1000, 1000}, {64, 64}), b = a.like(), c = a.like();    // collective
///     am::for_each(a, [](double& e) { e = 1; });               // algorithms see its cells row by row
///     for (auto& tile : b.local())                             // this rank's tiles
///       for (std::size_t i = 0; i < tile.cells.extent(0); ++i) tile(i, 0) = double(tile.origin[0] + i);
///     am::barrier();
///     am::gemm(a, b, c);                                       // also gemv and transpose
///     c(3, 4) = 1.0;                                           // one cell, on whichever rank it is
///
/// **Distribution.** With a grid of p by q ranks, member r * q + s has the tiles of rows r, r + p, ... and columns s, s + q, ...
/// (counted in tiles). A rank stores its tiles as one dense block. Tiles at the end of a dimension may be smaller.
///
/// **Kinds of operations, order and errors** are those of `matrix`. A `cyclic_matrix` has no halo, and no views of blocks, rows
/// and tiles: `in_blocks` copies it into a `matrix`, which has.
///
/// **Cost.** Each rank allocates memory for as many tiles as the first rank has. Algorithms process one row of a tile at a time,
/// so tiles should be at least about 32 cells wide. `save`, `load`, `checkpoint` and `recover` first copy the cells into a
/// `matrix`, which takes the same amount of memory again.
template <class T>
class cyclic_matrix : public detail::named_container<cyclic_matrix<T>> {
 public:
  using value_type = T;
  using handle_type = container_handle<cyclic_matrix>;  // see handle()
  using point = std::array<std::size_t, 2>;             // the coordinates of a cell

  // ---- Construction (collective) ----

  /// Creates a matrix without cells and without ranks, such as a moved-from one. Not collective.
  cyclic_matrix() = default;
  /// Creates a matrix of `extents` value-initialized cells, in tiles of `tile` cells. `g` sets the number of ranks in each
  /// dimension; by default the library chooses it. Throws `usage_error` for a tile without cells. Cost: two collectives.
  cyclic_matrix(const point& extents, const point& tile, const grid& g = {}, const made_at& at = std::source_location::current())
      : cyclic_matrix(extents, tile, g, detail::making(at, typeid(cyclic_matrix), g.members())) {}
  /// Creates a matrix over all ranks, with a name: `am::cyclic_matrix<double> a({900, 900}, {64, 64}, am::named("left"))`.
  cyclic_matrix(const point& extents, const point& tile, const made_at& at) : cyclic_matrix(extents, tile, grid(), at) {}
  template <std::same_as<halo> H, class = typename detail::cyclic_halo<H>::refused>
  cyclic_matrix(const point&, const point&, const grid&, const H&);
  template <std::same_as<halo> H, class = typename detail::cyclic_halo<H>::refused>
  cyclic_matrix(const point&, const point&, const H&);
  cyclic_matrix(cyclic_matrix&& other) noexcept
      : detail::named_container<cyclic_matrix>(std::move(other)),
        shape_(std::exchange(other.shape_, {})),
        cells_(std::move(other.cells_)),
        copies_(other.copies_),
        kept_(std::move(other.kept_)) {}
  cyclic_matrix& operator=(cyclic_matrix&& other) noexcept {
    detail::named_container<cyclic_matrix>::operator=(std::move(other));
    shape_ = std::exchange(other.shape_, {});
    cells_ = std::move(other.cells_);
    copies_ = other.copies_;
    kept_ = std::move(other.kept_);
    return *this;
  }

  // ---- One cell ----

  /// Reads or writes a cell, as `matrix::operator()`.
  global_ref<T> operator()(std::size_t i, std::size_t j) { return *ptr({i, j}); }
  global_ref<const T> operator()(std::size_t i, std::size_t j) const { return *global_ptr<const T>(ptr({i, j})); }
  /// Returns a global pointer to `cell`.
  global_ptr<T> ptr(const point& cell) const { return cells_.ptr(shape_.place_of(checked(cell))); }

  // ---- Local access (no message) ----

  /// Returns this rank's tiles, in the order of their rows, then of their columns.
  std::vector<cyclic_tile<T>> local() { return tiles_of<T>(); }
  std::vector<cyclic_tile<const T>> local() const { return tiles_of<const T>(); }

  /// Returns the number of cells in dimension `d`. This and the next two throw `usage_error` if `d` is not 0 or 1.
  std::size_t extent(std::size_t d) const { return shape_.in[detail::dimension_below(2, d)].extent; }
  /// Returns the number of cells of a tile in dimension `d`.
  std::size_t tile(std::size_t d) const { return shape_.in[detail::dimension_below(2, d)].tile; }
  /// Returns the number of ranks in dimension `d`.
  rank_t blocks(std::size_t d) const { return cells_.blocks(d); }
  /// Returns the number of cells.
  std::size_t size() const noexcept { return shape_.size(); }
  /// Returns the team over which the matrix is distributed.
  const team& members() const { return cells_.members(); }
  /// Returns the rank of the job that stores `cell`.
  rank_t rank_of(const point& cell) const { return members().world_rank(shape_.member_of(checked(cell))); }
  /// Returns the cell that is element `i` for algorithms, which see the cells row by row.
  point cell_of(std::size_t i) const {
    if (i >= size()) [[unlikely]]
      detail::throw_element(this, i, size());
    return shape_.cell_of(i);
  }
  /// Returns the index of `cell` for algorithms.
  std::size_t index_of(const point& cell) const { return shape_.index_of(checked(cell)); }
  /// Returns a small value that names the matrix on all members, wherever it is moved. Called functions use it: `h->local()`.
  handle_type handle() const { return this->template make_handle<handle_type>(); }

  // ---- Whole matrix (collective) ----

  /// Returns a value-initialized matrix of this shape.
  cyclic_matrix like(const made_at& at = std::source_location::current()) const {
    const detail::making how(at, typeid(cyclic_matrix), members());
    return cyclic_matrix(members(), shape_, &how);
  }
  /// Returns a copy.
  cyclic_matrix clone(const made_at& at = std::source_location::current()) const;

  /// Returns a `matrix` of the same cells, over the same ranks.
  matrix<T, 2> in_blocks(const grid& g = {}, const made_at& at = std::source_location::current()) const;
  /// Copies the cells of a matrix of the same extents over the same ranks, with any distribution. Throws `usage_error` if extents
  /// or ranks differ.
  void take(const matrix<T, 2>& from) { take_cells(from); }
  void take(const cyclic_matrix& from) { take_cells(from); }

  /// Writes the cells to the file `path`, as `matrix::save`. A `matrix` can load the file, too.
  void save(const std::string& path) const;
  /// Replaces extents and cells by those of a file that `save` of this class or of a `matrix` of two dimensions wrote, as
  /// `matrix::load`. Tiles and grid remain.
  void load(const std::string& path);
  /// Sets the number of ranks to which `checkpoint` copies each rank's cells, as `matrix::keep`. Collective.
  /// Constructs a `matrix` for the copies.
  void keep(int copies);
  /// Copies all cells to the ranks that `keep` chose, as `matrix::checkpoint`.
  void checkpoint(std::uint64_t mark = 0);
  /// Returns a matrix over `t` with the cells of the last checkpoint, after ranks were lost, as `matrix::recover`.
  [[nodiscard]] recovered<cyclic_matrix, cell_range<2>> recover(const team& t);

  // ---- For the library ----

  /// For the library: these do not compile, and say what to use instead of halos.
  template <class H = halo>
  typename detail::cyclic_halo<H>::refused exchange();
  template <class H = halo>
  typename detail::cyclic_halo<H>::refused begin_exchange();
  template <class F, class H = halo>
  typename detail::cyclic_halo<H>::refused set_border(const F&);
  /// For the library: does not compile, and says what to write instead of a loop that would fetch all cells one by one.
  template <class Cell = T>
  T* begin() const {
    return cells_.template begin<Cell>();
  }
  template <class Cell = T>
  T* end() const {
    return nullptr;
  }
  /// For algorithms.
  detail::cyclic_range<T> range() { return {shape_, cells_.range()}; }
  detail::cyclic_range<const T> range() const { return {shape_, std::as_const(cells_).range()}; }
  /// For algorithms.
  const detail::cyclic_shape& shape() const noexcept { return shape_; }
  /// For algorithms: the matrix of blocks that stores the tiles of each member.
  const matrix<T, 2>& cells() const noexcept { return cells_; }

 private:
  friend detail::rebalancer;
  template <class U>
  friend class cyclic_matrix;

  cyclic_matrix(const point& extents, const point& tile, const grid& g, const detail::making& how)
      : cyclic_matrix(g.members(), detail::cyclic_over(extents, tile, g.members().size(), g.blocks()), &how) {}
  cyclic_matrix(const team& t, const detail::cyclic_shape& shape, const detail::making* how = nullptr)
      : shape_(shape), cells_(shape.rooms(), on(t, grid({shape.in[0].members, shape.in[1].members}))) {
    this->be_named(t, how);
    detail::meet(t);
  }
  const point& checked(const point& cell) const {
    for (std::size_t d = 0; d < 2; ++d)
      if (cell[d] >= shape_.in[d].extent) [[unlikely]]
        detail::throw_cell(this, d, cell[d], shape_.in[d].extent);
    return cell;
  }
  template <class U>
  std::vector<cyclic_tile<U>> tiles_of() const;
  template <class From>
  void take_cells(const From& from);
  void put_into(matrix<T, 2>& to) const;

  detail::cyclic_shape shape_;
  matrix<T, 2> cells_;
  int copies_ = 0;
  std::optional<matrix<T, 2>> kept_;  // the matrix that `checkpoint` copies to other ranks
};

namespace views {

/// Returns the cells (i, 0), (i, 1), ... of a cyclic matrix. Throws `usage_error` for a row beyond the end.
template <class T>
auto row(cyclic_matrix<T>& m, std::size_t i) {
  static_cast<void>(m.index_of({i, 0}));
  return views::slice(m, i * m.extent(1), (i + 1) * m.extent(1));
}
/// Returns the cells (0, j), (1, j), ... of a cyclic matrix. Throws `usage_error` for a column beyond the end.
template <class T>
auto column(cyclic_matrix<T>& m, std::size_t j) {
  static_cast<void>(m.index_of({0, j}));
  return views::stride(views::drop(m, j), m.extent(1));
}
template <class T>
typename detail::cyclic_views<T>::refused block(const cyclic_matrix<T>&, const std::array<std::size_t, 2>&,
                                                const std::array<std::size_t, 2>&);
template <class T>
typename detail::cyclic_views<T>::refused tiles(const cyclic_matrix<T>&, const std::array<std::size_t, 2>&);
template <class T>
typename detail::cyclic_views<T>::refused rows(const cyclic_matrix<T>&);
template <class T>
typename detail::cyclic_views<T>::refused columns(const cyclic_matrix<T>&);

}  // namespace views

template <class T, class Out, class F, class H = halo>
typename detail::cyclic_halo<H>::refused stencil(const cyclic_matrix<T>&, Out&, const F&);

// ---- Implementation only below ----

namespace detail {

/// Calls f(box, pointer to its first cell, strides) for each intersection of `b` with a block or a tile.
template <class T, class F>
void each_part(const matrix<T, 2>& m, const box<2>& b, F f) {
  for (rank_t r = 0; r < m.members().size(); ++r) {
    const block_layout<2> theirs = m.plan().layout_of(r);
    const box<2> both = {{std::max(b.begin[0], theirs.cells.begin[0]), std::max(b.begin[1], theirs.cells.begin[1])},
                         {std::min(b.end[0], theirs.cells.end[0]), std::min(b.end[1], theirs.cells.end[1])}};
    if (both.volume() != 0) f(both, global_ptr<const T>(m.ptr(both.begin)), theirs.stride);
  }
}
template <class T, class F>
void each_part(const cyclic_matrix<T>& m, const box<2>& b, F f) {
  const auto stride = m.cells().plan().layout_of(0).stride;
  m.shape().each_tile(b, [&](const box<2>& part) { f(part, global_ptr<const T>(m.ptr(part.begin)), stride); });
}

/// Begins to copy the cells of `b` to `to`, whose rows are `stride` apart.
template <class T, class From>
void get_cells(T* to, std::ptrdiff_t stride, const From& from, const box<2>& b) {
  each_part(from, b, [&](const box<2>& part, const global_ptr<const T>& at, const std::array<std::ptrdiff_t, 2>& there) {
    T* const first = to + std::ptrdiff_t(part.begin[0] - b.begin[0]) * stride + std::ptrdiff_t(part.begin[1] - b.begin[1]);
    get_strided(first, at, strided<2>{{part.extent(0), part.extent(1)}, {stride, 1}, there});
  });
}

}  // namespace detail

template <class T>
template <class U>
std::vector<cyclic_tile<U>> cyclic_matrix<T>::tiles_of() const {
  std::vector<cyclic_tile<U>> all;
  const auto& mine = cells_.plan().mine;
  shape_.each_tile_of(cells_.plan().me, [&](const detail::box<2>& b) {
    U* const first = cells_.first() + mine.offset_of_cell(shape_.place_of(b.begin));
    all.push_back({b.begin, local_span<U, 2>(first, {b.extent(0), b.extent(1)}, mine.stride)});
  });
  return all;
}

template <class T>
template <class From>
void cyclic_matrix<T>::take_cells(const From& from) {
  const team& t = members();
  detail::require_same_members(from.members(), t);
  if (from.extent(0) != extent(0) || from.extent(1) != extent(1)) [[unlikely]]
    detail::throw_unlike_extents(this, {from.extent(0), from.extent(1)}, {extent(0), extent(1)});
  detail::meet(t);
  for (const cyclic_tile<T>& tile : local())
    detail::get_cells(tile.cells.data(), tile.cells.stride(0), from,
                      {tile.origin, {tile.origin[0] + tile.cells.extent(0), tile.origin[1] + tile.cells.extent(1)}});
  sync_memory();
  detail::meet(t);
}

template <class T>
cyclic_matrix<T> cyclic_matrix<T>::clone(const made_at& at) const {
  cyclic_matrix copy = like(at);
  const std::size_t n = cells_.plan().mine.volume;
  if (n != 0) std::memcpy(static_cast<void*>(copy.cells_.first()), cells_.first(), n * sizeof(T));
  detail::meet(members());
  return copy;
}

template <class T>
matrix<T, 2> cyclic_matrix<T>::in_blocks(const grid& g, const made_at& at) const {
  matrix<T, 2> to({extent(0), extent(1)}, on(members(), g), at);
  put_into(to);
  return to;
}

template <class T>
void cyclic_matrix<T>::put_into(matrix<T, 2>& to) const {
  detail::meet(members());
  if (const auto& mine = to.plan().mine; mine.volume != 0)
    detail::get_cells(to.first() + mine.offset_of_cell(mine.cells.begin), mine.stride[0], *this, mine.cells);
  sync_memory();
  detail::meet(members());
}

template <class T>
void cyclic_matrix<T>::save(const std::string& path) const {
  const detail::object_operation name("save", this);
  members().fence();
  in_blocks().save(path);
}

template <class T>
void cyclic_matrix<T>::load(const std::string& path) {
  const detail::object_operation name("load", this);
  const team t = members();
  matrix<T, 2> read({0, 0}, on(t, grid()));
  read.load(path);
  detail::cyclic_shape shape = shape_;
  for (std::size_t d = 0; d < 2; ++d) shape.in[d].extent = read.extent(d);
  cyclic_matrix made(t, shape);
  made.take(read);
  made.keep_name_of(*this);
  if (kept_) made.keep(copies_);
  *this = std::move(made);
  detail::meet(t);
}

template <class T>
void cyclic_matrix<T>::keep(int copies) {
  matrix<T, 2> blocks({extent(0), extent(1)}, on(members(), grid()));
  blocks.keep(copies);
  kept_ = std::move(blocks);
  copies_ = copies;
}

template <class T>
void cyclic_matrix<T>::checkpoint(std::uint64_t mark) {
  const detail::object_operation name("checkpoint", this);
  if (!kept_) detail::require_kept({}, members(), name.text());
  members().fence();
  put_into(*kept_);
  kept_->checkpoint(mark);
}

template <class T>
recovered<cyclic_matrix<T>, cell_range<2>> cyclic_matrix<T>::recover(const team& t) {
  const detail::object_operation name("recover", this);
  if (!kept_) detail::require_kept({}, members(), name.text());
  recovered<matrix<T, 2>, cell_range<2>> back = kept_->recover(t);
  const point extents = {back.container.extent(0), back.container.extent(1)};
  cyclic_matrix made(t, detail::cyclic_over(extents, {tile(0), tile(1)}, t.size(), {}));
  made.take(back.container);
  detail::call_as(&made, this);
  made.copies_ = copies_;
  made.kept_ = std::move(back.container);
  return {std::move(made), back.mark, std::move(back.gone)};
}

}  // namespace armilla
