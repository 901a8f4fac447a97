// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "armilla/base/values/container_names.hpp"
#include "armilla/container/grid/keep_cells.hpp"
#include "armilla/container/grid/matrix_inline.hpp"
#include "armilla/container/grid/save_cells.hpp"
#include "armilla/fence.hpp"
#include "armilla/handle.hpp"
#include "armilla/local_span.hpp"
#include "armilla/team/collectives/named_algorithm.hpp"

namespace armilla {

template <class T, std::size_t N>
class matrix_block;
template <class M>
class halo_exchange;

/// A matrix of 1, 2 or 3 dimensions that is distributed over the ranks of a team in blocks, each with a halo if you ask for one.
///
/// Use it for stencils on grids, images and dense linear algebra. For one dimension without a halo, use an `array`; if few
/// numbers are not zero, a `sparse_matrix`.
///
///     am::matrix<double> t({1024, 1024}, am::grid(), am::halo(1)), u = t.like();   // collective
///     t(3, 4) = 1.0;                                   // one cell, wherever it is
///     auto mine = t.local();
///     mine(0, 0) = 2;                                  // this rank's first cell; mine(-1, 0) is in its halo
///     t.exchange();                                    // collective: the halo has the neighbors' cells
///     const double sum = am::reduce(t);                // algorithms take a matrix row by row
///
/// **Kinds of operations.**
/// - *Direct* (`x(i, j)`, `ptr`): one cell by a load or store where its memory is mapped, as `*p` of a `global_ptr`.
/// - *Local* (`local`, `set_border`, `extent`, ...): send no message.
/// - *Collective* (construction, `exchange`, `clone`, `save`, ...) and algorithms: all members of the team call them.
///
/// **Cells** are trivially copyable, and value-initialized, also those of the halo. `grid` says how many blocks each dimension
/// has, `halo` how wide the halo is and which dimensions are periodic: see armilla/grid.hpp. As a range, element i is
/// `cell_of(i)`, row by row.
///
/// **Order.** `x(i, j)` is complete when the expression is. What a rank writes into cells of other ranks needs a fence or barrier
/// before an algorithm, or their owner, reads it. docs/spec/order.md has the details.
///
/// **Errors.** Throws `usage_error` for a cell outside, if the grid does not match the number of ranks, if the matrix was moved
/// from, and on all members if they construct different matrices. Throws `limit_error` on all members if the cells do not fit
/// into memory, or if a periodic halo goes around the matrix more than some million times.
///
/// **Lifetime.** A matrix is movable but not copyable; `clone` makes a copy. The destructor does not block.
template <class T, std::size_t N /* = 2 */>
class matrix : public detail::named_container<matrix<T, N>> {
  static_assert(std::is_trivially_copyable_v<T>,
                "armilla: the cells of a matrix lie where other ranks load and store them: they "
                "must be trivially copyable");
  static_assert(detail::require_element<T>());
  static_assert(N >= 1 && N <= 3,
                "armilla: a matrix has 1, 2 or 3 dimensions: make the further ones parts of a cell, "
                "am::matrix<std::array<T, n>, 3>");

 public:
  using value_type = T;
  using handle_type = container_handle<matrix>;  // see handle()
  using point = std::array<std::size_t, N>;      // the coordinates of a cell

  // ---- Construction (collective) ----

  /// Creates a matrix without cells and without ranks, such as a moved-from one. Not collective.
  matrix() = default;
  /// Creates a matrix of `extents` value-initialized cells. Cost: one collective.
  explicit matrix(const point& extents, const grid& g = {}, const halo& h = {},
                  const made_at& at = std::source_location::current())
      : matrix(extents, g, h, detail::making(at, typeid(matrix), g.members())) {}
  /// Creates a matrix without halos and with a name: `am::matrix<double> t({100, 100}, am::named("temperature"))`.
  matrix(const point& extents, const made_at& at) : matrix(extents, grid(), halo(), at) {}
  matrix(const point& extents, const grid& g, const made_at& at) : matrix(extents, g, halo(), at) {}
  matrix(matrix&&) noexcept = default;
  matrix& operator=(matrix&&) noexcept = default;

  // ---- One cell ----

  /// Reads or writes a cell, by the expression that names it: write `double z = t(5, 6)`, not `auto z`.
  ///
  /// Complete when the expression is. Cost: a load or store where the memory is mapped, otherwise a message each way.
  template <std::convertible_to<std::size_t>... I>
    requires(sizeof...(I) == N)
  global_ref<T> operator()(I... i) {
    return *ptr({std::size_t(i)...});
  }
  template <std::convertible_to<std::size_t>... I>
    requires(sizeof...(I) == N)
  global_ref<const T> operator()(I... i) const {
    return *global_ptr<const T>(ptr({std::size_t(i)...}));
  }
  /// Returns a global pointer to `cell`.
  global_ptr<T> ptr(const point& cell) const;

  // ---- Local access (no message) ----

  /// Returns this rank's cells and the halo around them: see `matrix_block`.
  matrix_block<T, N> local() { return {first(), plan().mine}; }
  matrix_block<const T, N> local() const { return {first(), plan().mine}; }

  /// Sets the halo beyond the border of the whole matrix to `f(coordinates)`, in this rank's block.
  ///
  /// The coordinates are signed: -1 is before the first cell. In a periodic dimension nothing is beyond the border; there the
  /// coordinates are those of the cells of the other end. Throws `usage_error` for a function that is null.
  ///
  ///     am::matrix<double> t({100, 200}, am::grid(), am::halo(1));
  ///     t.set_border([](const auto& cell) { return cell[0] < 0 ? 1.0 : 0.0; });
  template <class F>
  void set_border(F f);

  /// Returns the number of cells in dimension `d`. Throws `usage_error` if there is no such dimension.
  std::size_t extent(std::size_t d) const { return plan_ ? plan_->shape.extents()[detail::dimension_below(N, d)] : 0; }
  /// Returns the number of cells.
  std::size_t size() const noexcept { return plan_ ? plan_->shape.size() : 0; }
  /// Returns the team over which the matrix is distributed.
  const team& members() const { return plan().members; }
  /// Returns the number of blocks in dimension `d`.
  rank_t blocks(std::size_t d) const { return plan().shape.blocks(detail::dimension_below(N, d)); }
  /// Returns the rank of the job that stores `cell`.
  rank_t rank_of(const point& cell) const { return members().world_rank(plan().shape.member_of(checked(cell))); }
  /// Returns the cell that is element `i` of the range that algorithms see.
  point cell_of(std::size_t i) const;
  /// Returns the index of `cell` in that range.
  std::size_t index_of(const point& cell) const { return plan().shape.index_of(checked(cell)); }
  /// Returns a small value that names the matrix on all members, wherever it is moved. Called functions use it: `h->local()`.
  handle_type handle() const { return this->template make_handle<handle_type>(); }

  // ---- Halo (collective) ----

  /// Copies the neighbors' cells into the halo.
  ///
  /// Each rank waits for its neighbors only. When it returns, they have taken this rank's cells, so you may write them. Cost on
  /// one host: two counters for each neighbor, and the copy from its memory.
  void exchange() { begin_exchange().wait(); }

  /// Begins an exchange; `wait()` of the result ends it. In between, you must not write own cells that are within the halo's
  /// width of a border.
  ///
  ///     am::matrix<double> t({100, 200}, am::grid(), am::halo(1));
  ///     auto exchange = t.begin_exchange();
  ///     // ... read the inner cells ...
  ///     exchange.wait();
  [[nodiscard]] halo_exchange<matrix> begin_exchange() {
    plan();
    return halo_exchange<matrix>(*this);
  }

  // ---- Whole matrix (collective) ----

  /// Returns a value-initialized matrix of this shape. Cost: one collective.
  matrix like(const made_at& at = std::source_location::current()) const {
    const detail::making how(at, typeid(matrix), members());
    return matrix(plan_, &how);
  }

  /// Returns a copy, of the halo as well. Cost: two collectives, and a copy of the local block.
  matrix clone(const made_at& at = std::source_location::current()) const;

  /// Writes the cells, without halos, to the file `path`. `load` reads them on any number of ranks.
  ///
  /// Fences the team first. The file replaces an existing one only when it is complete. Throws `usage_error` on all members if
  /// writing fails. Cost: each member copies its cells to the file, in pieces of 1 MiB with a checksum each.
  void save(const std::string& path) const;

  /// Replaces extents and cells by those of a file that a matrix of N dimensions has saved, on any number of ranks and in any
  /// grid.
  ///
  /// The number of blocks, the halo's width and `keep` remain; the halo is value-initialized, so `exchange` follows. A matrix
  /// without extents is distributed over all ranks, without a halo. Throws `usage_error` on all members if the file is damaged or
  /// has another kind of content, `limit_error` if the cells do not fit; the matrix is then unchanged. Cost: each member reads
  /// its block.
  void load(const std::string& path);

  /// Makes `checkpoint` copy each rank's block to the memory of the next `copies` ranks of the team, from which `recover` takes
  /// it when a rank is lost (docs/guide/death.md). Sends nothing. `swap` exchanges cells, but not the copies. Throws
  /// `usage_error` if `copies` is less than 1.
  void keep(int copies) { kept_.copies = std::make_unique<detail::kept_parts>(members(), copies); }

  /// Copies all cells to the ranks that `keep` chose: all of them, or none.
  ///
  /// Fences the team first; no fiber may change cells during the call. `mark` is the same on all members; `recover` returns it
  /// with the cells. Throws `limit_error` on all members if there is no room; the previous checkpoint then remains. Cost: a copy
  /// from memory to memory for each of `copies`, and three collectives.
  void checkpoint(std::uint64_t mark = 0);

  /// Returns a matrix over `t` with the cells of the last checkpoint, after ranks were lost.
  ///
  /// `members().survivors()` must have returned `t`; all members of `t` call this. Those dimensions are cut that were cut before,
  /// into as many blocks as `t` has members. The halo is as wide as here, and value-initialized, so `set_border` and `exchange`
  /// follow. `gone` of the result has the cells of which no copy is left; these are value-initialized. The new matrix is
  /// replicated as this one was, and has a checkpoint. If another rank is lost during the call, this throws `rank_lost`; then all
  /// survivors call `recover` again on the original container `x`, with the next team. So assign the result at once: `x =
  /// std::move(x.recover(t).container)`. Other errors are those of `array::recover`. Cost: a copy, a checkpoint, and some
  /// collectives.
  [[nodiscard]] recovered<matrix, cell_range<N>> recover(const team& t);

  /// Returns a matrix over `t` with the cells as they are now, without a checkpoint: `x.recover(t, am::raw)`.
  ///
  /// Reads the cells of lost ranks from the memory that they left. They may be torn: a rank that dies may have done a part of a
  /// step, or have written a part of a cell. `gone` is empty. The new matrix is replicated as this one was, but has no checkpoint
  /// yet. Otherwise as `recover(t)`.
  [[nodiscard]] recovered<matrix, cell_range<N>> recover(const team& t, raw_t);

  // ---- For the library ----

  /// For the library: does not compile, and says what to write instead of a loop that would fetch all cells one by one.
  template <class Cell = T>
  T* begin() const {
    static_assert(!std::is_same_v<Cell, T>,
                  "armilla: a distributed range has no begin(): write loops over `x.local()` for this "
                  "rank's cells, or an algorithm such as am::for_each(x, f) for all");
    return nullptr;
  }
  template <class Cell = T>
  T* end() const {
    return nullptr;
  }

  /// For algorithms.
  detail::matrix_range<T, N> range() { return {plan(), blocks_}; }
  detail::matrix_range<const T, N> range() const { return {plan(), blocks_}; }
  /// For algorithms.
  const detail::matrix_plan<N>& plan() const {
    if (!plan_) [[unlikely]]
      detail::throw_no_matrix();
    return *plan_;
  }
  /// For algorithms.
  T* first() const { return reinterpret_cast<T*>(global_ptr<std::byte>(blocks_.at(plan().me)).local()); }

  /// For the library: the steps of an exchange. Notifies the neighbors that this rank's cells are ready.
  void signal_neighbours();
  /// For the library: waits until the neighbors' cells are ready.
  void await_neighbours();
  /// For the library: copies the neighbors' cells. All gets are begun before the first one is waited for.
  void take_halo();

 private:
  explicit matrix(std::shared_ptr<const detail::matrix_plan<N>> p, const detail::making* how = nullptr);
  matrix(const point& extents, const grid& g, const halo& h, const detail::making& how)
      : matrix(std::make_shared<const detail::matrix_plan<N>>(g.members(),
                                                              detail::grid_shape<N>(extents, g.members().size(), g.blocks()), h),
               &how) {}

  const point& checked(const point& cell) const {
    for (std::size_t d = 0; d < N; ++d)
      if (cell[d] >= extent(d)) [[unlikely]]
        detail::throw_cell(this, d, cell[d], extent(d));
    return cell;
  }
  global_ptr<counter> counter_of(rank_t member, std::size_t k) const {
    const std::size_t at = detail::counters_at(plan_->layout_of(member).volume, sizeof(T)) + k * sizeof(counter);
    return global_ptr<counter>(blocks_.at(member).plus(std::int64_t(at)));
  }
  void take(const std::vector<detail::halo_piece<N>>& pieces) {
    for (const auto& p : pieces)
      get_strided(first() + p.here, global_ptr<const T>(blocks_.at(p.from).plus(p.there * std::ptrdiff_t(sizeof(T)))), p.part);
  }
  template <class F>
  void set_beyond(const point& at, F& f);

  void write_copies(detail::kept_parts& copies, std::uint64_t mark, std::vector<cell_range<N>> gone = {}) const {
    detail::failure none;
    copies.write(first(), plan_->mine.volume * sizeof(T), mark,
                 std::make_shared<const detail::matrix_shape<N>>(plan_, std::move(gone)), none);
  }
  /// One that this becomes when it is recovered.
  matrix over(const team& t, const detail::matrix_plan<N>& was) const {
    matrix made(std::make_shared<const detail::matrix_plan<N>>(t, detail::shape_over(was.shape, t.size()), was.around));
    made.kept_.times = kept_.times + 1;
    return made;
  }
  void catch_up(const team& t);

  template <class U, std::size_t M>
  friend void swap(matrix<U, M>& a, matrix<U, M>& b) noexcept;
  friend detail::rebalancer;

  std::shared_ptr<const detail::matrix_plan<N>> plan_;
  detail::block_storage blocks_;
  detail::keeping<recovered<matrix, cell_range<N>>> kept_;
};

/// This rank's cells of a matrix, and the halo around them.
///
/// Coordinates are relative to the first own cell: `b(-1, 0)` is in the halo before it. Valid until the matrix moves.
///
///     am::matrix<double> t({100, 200}, am::grid(), am::halo(1));
///     am::matrix_block<double, 2> b = t.local();
///     for (std::size_t i = 0; i < b.extent(0); ++i)
///       for (double& cell : b.row(i)) cell += 1;
template <class T, std::size_t N>
class matrix_block {
 public:
  matrix_block(T* begin, const detail::block_layout<N>& layout) noexcept : begin_(begin), layout_(&layout) {}

  /// Returns the cell with these coordinates, which must be an own cell or in the halo. Otherwise the checked library throws
  /// `usage_error`; the release library does not check.
  template <std::convertible_to<std::ptrdiff_t>... I>
    requires(sizeof...(I) == N)
  T& operator()(I... i) const noexcept(!detail::checked) {
    if constexpr (detail::checked) require_all("matrix_block", std::ptrdiff_t(i)...);
    return begin_[layout_->offset({std::ptrdiff_t(i)...})];
  }

  /// Returns the own cells of a row, which all coordinates but the last name. Throws `usage_error` for a row that is neither in
  /// the block nor in its halo.
  template <std::convertible_to<std::ptrdiff_t>... I>
    requires(sizeof...(I) + 1 == N)
  std::span<T> row(I... i) const {
    require_all("matrix_block::row", std::ptrdiff_t(i)...);
    return {begin_ + layout_->offset({std::ptrdiff_t(i)..., 0}), extent(N - 1)};
  }

  /// Returns all own cells, without the halo, in the form that other libraries take: it converts to `std::mdspan` where that
  /// exists.
  local_span<T, N> cells() const noexcept {
    std::array<std::size_t, N> extents;
    for (std::size_t d = 0; d < N; ++d) extents[d] = extent(d);
    return {begin_ + layout_->offset({}), extents, layout_->stride};
  }

  /// Returns the number of own cells in dimension `d`. This and the following throw `usage_error` if there is no such dimension.
  std::size_t extent(std::size_t d) const {
    detail::dimension_below(N, d);
    return layout_->cells.volume() == 0 ? 0 : layout_->cells.extent(d);
  }
  /// Returns the coordinate of the first own cell in the matrix, in dimension `d`.
  std::size_t origin(std::size_t d) const { return layout_->cells.begin[detail::dimension_below(N, d)]; }
  /// Returns the width of the halo before the first own cell, in dimension `d`.
  std::size_t halo_before(std::size_t d) const { return layout_->before[detail::dimension_below(N, d)]; }
  /// Returns the width of the halo after the last own cell, in dimension `d`.
  std::size_t halo_behind(std::size_t d) const { return layout_->behind[detail::dimension_below(N, d)]; }

 private:
  template <class... I>
  void require_all(const char* operation, I... i) const {
    std::size_t d = 0;
    (require(operation, d++, i), ...);
  }
  void require(const char* operation, std::size_t d, std::ptrdiff_t i) const {
    const auto before = std::ptrdiff_t(layout_->before[d]), end = std::ptrdiff_t(extent(d) + layout_->behind[d]);
    if (i < -before || i >= end) [[unlikely]]
      detail::throw_beyond_halo(operation, d, i, -before, end);
  }

  T* begin_;
  const detail::block_layout<N>* layout_;
};

/// An exchange of a halo that has begun: see `matrix::begin_exchange`. All members call `wait`; without it the neighbors wait.
template <class M>
class halo_exchange {
 public:
  /// For the library: begins an exchange.
  explicit halo_exchange(M& m) : matrix_(&m) { m.signal_neighbours(); }
  halo_exchange(halo_exchange&& other) noexcept : matrix_(std::exchange(other.matrix_, nullptr)) {}
  halo_exchange& operator=(halo_exchange&&) = delete;

  /// Returns when this rank's halo has the neighbors' cells, and theirs have this rank's.
  void wait() {
    if (matrix_ == nullptr) return;
    M& m = *std::exchange(matrix_, nullptr);
    m.take_halo();
    m.signal_neighbours();
    m.await_neighbours();
  }

 private:
  M* matrix_;
};

/// Exchanges the cells of two matrices, and their halos, without a message. Called by all members alike.
template <class T, std::size_t N>
void swap(matrix<T, N>& a, matrix<T, N>& b) noexcept;

// ---- Implementation only below ----

template <class T, std::size_t N>
matrix<T, N>::matrix(std::shared_ptr<const detail::matrix_plan<N>> p, const detail::making* how) : plan_(std::move(p)) {
  const std::size_t n = plan().checked_layout(sizeof(T)).volume, neighbours = plan_->halos.neighbours.size();
  const std::size_t behind = detail::counters_at(n, sizeof(T));
  detail::note_type(plan_->members, detail::mark_of<T>());
  blocks_ = detail::block_storage::make(plan_->members, behind + neighbours * sizeof(counter), 128,
                                        {detail::mark_with_type(plan_->members, plan_->mark(sizeof(T)), detail::sign_of_type<T>),
                                         detail::matrix_plan<N>::parts, plan_.get()},
                                        [&](std::byte* at) {
                                          T* const cells = reinterpret_cast<T*>(at);
                                          for (std::size_t i = 0; i < n; ++i) ::new (static_cast<void*>(cells + i)) T();
                                          for (std::size_t k = 0; k < neighbours; ++k)
                                            ::new (static_cast<void*>(at + behind + k * sizeof(counter))) counter();
                                        });
  this->be_named(members(), how);
}

template <class T, std::size_t N>
template <class F>
void matrix<T, N>::set_beyond(const point& at, F& f) {
  std::array<std::ptrdiff_t, N> local, cell;
  bool beyond = false;
  for (std::size_t d = 0; d < N; ++d) {
    local[d] = std::ptrdiff_t(at[d]) - std::ptrdiff_t(plan_->mine.before[d]);
    cell[d] = local[d] + std::ptrdiff_t(plan_->mine.cells.begin[d]);
    const auto n = std::ptrdiff_t(extent(d));
    if (plan_->around.is_periodic(d))
      cell[d] = (cell[d] % n + n) % n;
    else
      beyond = beyond || cell[d] < 0 || cell[d] >= n;
  }
  if (beyond) first()[plan_->mine.offset(local)] = f(std::as_const(cell));
}

template <class T, std::size_t N>
void matrix<T, N>::catch_up(const team& t) {
  detail::require_recoverable(t, members());
  detail::catch_up(t, kept_, [this](recovered<matrix, cell_range<N>> later) {
    plan_ = std::move(later.container.plan_);
    blocks_ = std::move(later.container.blocks_);
    kept_.copies = std::move(later.container.kept_.copies);
  });
}

template <class T, std::size_t N>
inline global_ptr<T> matrix<T, N>::ptr(const point& cell) const {
  const rank_t m = plan().shape.member_of(checked(cell));
  return global_ptr<T>(blocks_.at(m).plus(plan_->layout_of(m).offset_of_cell(cell) * std::ptrdiff_t(sizeof(T))));
}

template <class T, std::size_t N>
inline typename matrix<T, N>::point matrix<T, N>::cell_of(std::size_t i) const {
  if (i >= size()) [[unlikely]]
    detail::throw_element(this, i, size());
  return plan().shape.cell_of(i);
}

template <class T, std::size_t N>
template <class F>
void matrix<T, N>::set_border(F f) {
  detail::require_function(f, "matrix::set_border");
  const auto& cells = plan().mine.cells;
  detail::box<N> all;
  for (std::size_t d = 0; d < N; ++d)
    all.end[d] = plan_->mine.volume == 0 ? 0 : plan_->mine.before[d] + cells.extent(d) + plan_->mine.behind[d];
  detail::each_row(all, [&](point at) {
    for (; at[N - 1] < all.end[N - 1]; ++at[N - 1]) set_beyond(at, f);
  });
}

template <class T, std::size_t N>
inline void matrix<T, N>::signal_neighbours() {
  for (std::size_t k = 0; k < plan_->signal_at.size(); ++k) counter_of(plan_->halos.neighbours[k], plan_->signal_at[k]).signal();
}
template <class T, std::size_t N>
inline void matrix<T, N>::await_neighbours() {
  for (std::size_t k = 0; k < plan_->signal_at.size(); ++k) counter_of(plan_->me, k).local()->wait();
}
template <class T, std::size_t N>
inline void matrix<T, N>::take_halo() {
  take(plan_->halos.own);
  await_neighbours();
  take(plan_->halos.others);
  sync_memory();
}

template <class T, std::size_t N>
matrix<T, N> matrix<T, N>::clone(const made_at& at) const {
  matrix copy = like(at);
  if (plan_->mine.volume != 0) std::memcpy(static_cast<void*>(copy.first()), first(), plan_->mine.volume * sizeof(T));
  detail::meet(members());  // what members read of others is there
  return copy;
}

template <class T, std::size_t N>
void matrix<T, N>::save(const std::string& path) const {
  plan().members.fence();
  const detail::object_operation name("save", this);
  detail::save_cells(plan(), static_cast<const T*>(first()), path);
}

template <class T, std::size_t N>
void matrix<T, N>::checkpoint(std::uint64_t mark) {
  const detail::object_operation name("checkpoint", this);
  detail::kept_parts& copies = detail::require_kept(kept_.copies, members(), name.text());
  members().fence();
  write_copies(copies, mark);
  detail::meet(members());
  copies.commit();
}

template <class T, std::size_t N>
void matrix<T, N>::load(const std::string& path) {
  const detail::object_operation name("load", this);
  const team members = plan_ ? plan_->members : world();
  members.fence();
  detail::saved_file file(members, path, detail::saved_cells<T, N>());
  std::vector<rank_t> blocks;
  for (std::size_t d = 0; plan_ && d < N; ++d) blocks.push_back(plan_->shape.blocks(d));
  point extents;
  for (std::size_t d = 0; d < N; ++d) extents[d] = std::size_t(file.grid().extents[d]);
  const halo around = plan_ ? plan_->around : halo();
  matrix read(
      std::make_shared<const detail::matrix_plan<N>>(members, detail::grid_shape<N>(extents, members.size(), blocks), around));
  detail::fill_cells(file, read.plan(), read.first());
  file.agree();
  read.keep_name_of(*this);
  read.kept_ = std::move(kept_);
  *this = std::move(read);
  detail::meet(members);
}

template <class T, std::size_t N>
recovered<matrix<T, N>, cell_range<N>> matrix<T, N>::recover(const team& t) {
  using result = recovered<matrix, cell_range<N>>;
  const detail::object_operation name("recover", this);
  detail::require_kept(kept_.copies, members(), name.text());
  catch_up(t);
  const detail::kept_parts& copies = *kept_.copies;
  result back = detail::recover_together(t, kept_.unfinished, [&] {
    const detail::found_checkpoint found = copies.newest(t);
    const auto& shape = *static_cast<const detail::matrix_shape<N>*>(found.shape.get());
    const detail::matrix_plan<N>& was = *shape.places;
    result r{over(t, was), found.mark, detail::gone_cells<N>(shape, found.parts)};
    detail::call_as(&r.container, this);
    detail::fill_from_parts<T, N>(was, found.parts, r.container.plan(), r.container.first());
    r.container.keep(copies.wish());
    r.container.write_copies(*r.container.kept_.copies, found.mark, r.gone);
    return r;
  });
  back.container.kept_.copies->commit();
  return back;
}

template <class T, std::size_t N>
recovered<matrix<T, N>, cell_range<N>> matrix<T, N>::recover(const team& t, raw_t) {
  using result = recovered<matrix, cell_range<N>>;
  const detail::object_operation name("recover", this);
  detail::require_memory_stays(members());
  catch_up(t);
  return detail::recover_together(t, kept_.unfinished, [&] {
    detail::require_alike(t, detail::mark_of_blocks(blocks_, members(), plan_->mark(sizeof(T))));
    result r{over(t, *plan_), 0, {}};
    detail::call_as(&r.container, this);
    detail::fill_from_parts<T, N>(*plan_, detail::present_parts(blocks_, members()), r.container.plan(), r.container.first());
    if (kept_.copies != nullptr) r.container.keep(kept_.copies->wish());
    return r;
  });
}

template <class T, std::size_t N>
void swap(matrix<T, N>& a, matrix<T, N>& b) noexcept {
  matrix<T, N> was_a = std::move(a);
  a = std::move(b);
  b = std::move(was_a);
  std::swap(a.kept_, b.kept_);
}

}  // namespace armilla
