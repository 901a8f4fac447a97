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

namespace armilla {

/// This rank's cells of a matrix, and the halo around them. Coordinates are relative to the first own cell: `b(-1, 0)` is the
/// halo above it, for a halo of that width. Valid until the matrix moves.
template <class T, std::size_t N>
class matrix_block {
 public:
  matrix_block(T* begin, const detail::block_layout<N>& layout) noexcept : begin_(begin), layout_(&layout) {}

  /// How many own cells it has in dimension d, and the coordinate of the first one in the matrix. Errors: usage_error for a
  /// dimension that it does not have.
  std::size_t extent(std::size_t d) const {
    detail::dimension_below(N, d);
    return layout_->cells.volume() == 0 ? 0 : layout_->cells.extent(d);
  }
  std::size_t origin(std::size_t d) const { return layout_->cells.begin[detail::dimension_below(N, d)]; }
  /// How wide its halo is in dimension d, on the side of the first cell and of the last one. Errors: as extent.
  std::size_t halo_before(std::size_t d) const { return layout_->before[detail::dimension_below(N, d)]; }
  std::size_t halo_behind(std::size_t d) const { return layout_->behind[detail::dimension_below(N, d)]; }

  template <std::convertible_to<std::ptrdiff_t>... I>
    requires(sizeof...(I) == N)
  T& operator()(I... i) const noexcept {
    return begin_[layout_->offset({std::ptrdiff_t(i)...})];
  }
  /// The own cells of a row, which is named by all coordinates but the last. Errors: usage_error for a row that is neither one of
  /// the own cells nor of the halo.
  template <std::convertible_to<std::ptrdiff_t>... I>
    requires(sizeof...(I) + 1 == N)
  std::span<T> row(I... i) const {
    std::size_t d = 0;
    (require_row(d++, std::ptrdiff_t(i)), ...);
    return {begin_ + layout_->offset({std::ptrdiff_t(i)..., 0}), extent(N - 1)};
  }
  /// All own cells, without the halo: what other libraries take, as a std::mdspan where there is one.
  local_span<T, N> cells() const noexcept {
    std::array<std::size_t, N> extents;
    for (std::size_t d = 0; d < N; ++d) extents[d] = extent(d);
    return {begin_ + layout_->offset({}), extents, layout_->stride};
  }

 private:
  void require_row(std::size_t d, std::ptrdiff_t i) const {
    const auto before = std::ptrdiff_t(layout_->before[d]), end = std::ptrdiff_t(extent(d) + layout_->behind[d]);
    if (i < -before || i >= end) [[unlikely]]
      detail::throw_row(d, i, -before, end);
  }

  T* begin_;
  const detail::block_layout<N>* layout_;
};

/// A halo that is being refreshed. `wait` ends it, on all members; without it the neighbours wait.
template <class M>
class halo_exchange {
 public:
  explicit halo_exchange(M& m) : matrix_(&m) { m.signal_neighbours(); }
  halo_exchange(halo_exchange&& other) noexcept : matrix_(std::exchange(other.matrix_, nullptr)) {}
  halo_exchange& operator=(halo_exchange&&) = delete;

  /// Returns when the halo holds the neighbours' cells, and theirs hold this rank's.
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

/// Cells in N dimensions (1 to 3), in blocks over the ranks of a team, each with a halo if that is asked for. Made by all members
/// together; cells and halo are value-initialised.
///
///     am::matrix<double> t({1024, 1024}, am::grid(), am::halo(1)), u = t.like();
///     t(3, 4) = 1.0;  double z = t(5, 6);              // one cell, wherever it lies
///     auto mine = t.local();  mine(0, 0) = 2;          // this rank's, and its halo: mine(-1, 0)
///     t.exchange();                                    // the halo holds the neighbours' cells
///     double s = am::reduce(t);                        // algorithms take a matrix row by row
///
/// It moves and does not copy (`clone` does). T is trivially copyable. Errors: limit_error on all members if it does not fit, or
/// a periodic halo goes around the matrix more than some million times; usage_error if members make different ones, for a cell
/// outside, or for a grid that does not fit to the team.
template <class T, std::size_t N /* = 2 */>
class matrix : public detail::named_container<matrix<T, N>> {
  static_assert(std::is_trivially_copyable_v<T>,
                "armilla: the cells of a matrix lie where other ranks load and store them: they "
                "must be trivially copyable");
  static_assert(detail::require_element<T>());
  static_assert(N >= 1 && N <= 3, "armilla: a matrix has 1, 2 or 3 dimensions");

 public:
  using value_type = T;
  using handle_type = container_handle<matrix>;
  using point = std::array<std::size_t, N>;

  matrix() = default;
  /// Cost: one meeting.
  explicit matrix(const point& extents, const grid& g = {}, const halo& h = {}) : matrix(g.members(), extents, g, h) {}
  matrix(matrix&&) noexcept = default;
  matrix& operator=(matrix&&) noexcept = default;

  /// In dimension d. Errors: usage_error for a dimension that it does not have.
  std::size_t extent(std::size_t d) const { return plan_ ? plan_->shape.extents()[detail::dimension_below(N, d)] : 0; }
  std::size_t size() const noexcept { return plan_ ? plan_->shape.size() : 0; }
  /// The ranks that have it.
  const team& members() const { return plan().members; }
  /// Names it on all members, wherever it moves: to send and to keep. No message.
  handle_type handle() const { return this->template make_handle<handle_type>(); }
  /// In how many blocks dimension d is cut.
  rank_t blocks(std::size_t d) const { return plan().shape.blocks(detail::dimension_below(N, d)); }
  /// The cell that algorithms number i, and its number.
  point cell_of(std::size_t i) const {
    if (i >= size()) [[unlikely]]
      detail::throw_element(i, size());
    return plan().shape.cell_of(i);
  }
  std::size_t index_of(const point& cell) const { return plan().shape.index_of(checked(cell)); }

  /// One cell, read or written by the expression that names it. Cost: its place, then as `*p`.
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
  /// Where a cell lies, and the rank of the job that has it.
  global_ptr<T> ptr(const point& cell) const {
    const rank_t m = plan().shape.member_of(checked(cell));
    return global_ptr<T>(blocks_.at(m).plus(plan_->layout_of(m).offset_of_cell(cell) * std::ptrdiff_t(sizeof(T))));
  }
  rank_t rank_of(const point& cell) const { return members().world_rank(plan().shape.member_of(checked(cell))); }

  /// This rank's cells.
  matrix_block<T, N> local() { return {first(), plan().mine}; }
  matrix_block<const T, N> local() const { return {first(), plan().mine}; }

  /// Another one of this shape, value-initialised. Collective.
  matrix like() const { return matrix(plan_); }
  /// The same cells and halo once more. Collective.
  matrix clone() const {
    matrix copy = like();
    if (plan_->mine.volume != 0) std::memcpy(static_cast<void*>(copy.first()), first(), plan_->mine.volume * sizeof(T));
    return copy;
  }

  /// Writes the own cells of all members into a file; it takes the place of one that is there when it is whole, and not before.
  /// Collective, and a fence of the team. Errors: usage_error on all members, and the old file stays. Cost: a copy to the file,
  /// in pieces of a MiB with a checksum.
  void save(const std::string& path) const {
    plan().members.fence();
    detail::save_cells(plan(), static_cast<const T*>(first()), path);
  }
  /// Takes extents and cells of a file that a matrix of N dimensions has saved on any number of ranks, in any grid. It is cut
  /// into as many blocks as before, with a halo as before, value-initialised: `exchange` follows. One that was made without
  /// extents lies over all ranks then, without a halo. Collective. Errors: usage_error on all members for a file that is damaged
  /// or of another kind, limit_error for one that does not fit; the cells are as before then. Cost: a copy from the file.
  void load(const std::string& path);

  /// Copies of each rank's block are kept in the memory of the `copies` next ranks of the team from now on: `checkpoint` makes
  /// them, `recover` takes them, as of an array (docs/guide/death.md). By all members alike. `swap` exchanges cells, not what is
  /// kept. Errors: usage_error for less than one. Cost: none yet.
  void keep(int copies) { kept_.copies = std::make_unique<detail::kept_parts>(members(), copies); }
  /// Copies all cells as they are to where `keep` said: all or nothing. `mark`, the same on all members, says which checkpoint it
  /// was when it is recovered. Collective, and a fence of the team; no fiber may change cells meanwhile. Errors: limit_error on
  /// all members if there is no room; the checkpoint before stays. Cost: a copy from memory to memory for each of `copies`, and
  /// three meetings.
  void checkpoint(std::uint64_t mark = 0) {
    detail::kept_parts& copies = detail::require_kept(kept_.copies, members(), "checkpoint");
    members().fence();
    write_copies(copies, mark);
    detail::meet(members());
    copies.commit();
  }
  /// The cells of the last checkpoint, over the ranks of `t`, which `members().survivors()` gave: cut in the same dimensions into
  /// as many blocks, with a halo as here, value-initialised: `set_border` and `exchange` follow. Cells are value-initialised
  /// where a rank is lost and so are all that kept copies of its block; `gone` says which. What it gives is kept as this one, and
  /// has a checkpoint already. A collective of `t`; if a rank is lost meanwhile (rank_lost), all recover `x` again on the next
  /// team, so it takes the place of `x` at once: x = std::move(x.recover(t).container). Errors: as `recover` of an array. Cost: a
  /// copy, a checkpoint, some meetings.
  [[nodiscard]] recovered<matrix, cell_range<N>> recover(const team& t);
  /// The cells as they are now, without a checkpoint: those of a lost rank as its memory still holds them. They may be torn: a
  /// rank that dies may have done a part of a step, or of a cell. `gone` is empty. What it gives is kept as this one, but has no
  /// checkpoint yet. Else as `recover`.
  [[nodiscard]] recovered<matrix, cell_range<N>> recover(const team& t, raw_t);

  /// The halo beyond the border of the whole matrix becomes f(coordinates), where coordinates are signed: -1 lies before the
  /// first cell. Nothing lies beyond the border in a periodic dimension: its coordinates are those of the cells of the other end.
  /// This rank's part; no message. Errors: usage_error for a function that is null.
  template <class F>
  void set_border(F f) {
    detail::require_function(f, "matrix::set_border");
    const auto& cells = plan().mine.cells;
    detail::box<N> all;
    for (std::size_t d = 0; d < N; ++d)
      all.end[d] = plan_->mine.volume == 0 ? 0 : plan_->mine.before[d] + cells.extent(d) + plan_->mine.behind[d];
    detail::each_row(all, [&](point at) {
      for (; at[N - 1] < all.end[N - 1]; ++at[N - 1]) set_beyond(at, f);
    });
  }

  /// The halo takes over the neighbours' cells. Called by all members; each waits for its neighbours only, which have then taken
  /// this rank's cells, so that it may write them. Cost on one host: two counters a neighbour and the copy out of its memory.
  void exchange() { begin_exchange().wait(); }
  /// The same in two parts. Until `wait` returns own cells within the halo's width of a border must not be written.
  [[nodiscard]] halo_exchange<matrix> begin_exchange() {
    plan();
    return halo_exchange<matrix>(*this);
  }

  /// A loop over all cells would fetch them one by one: does not compile, and says what to write.
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
  T* first() const { return reinterpret_cast<T*>(global_ptr<std::byte>(blocks_.at(plan().me)).local()); }

  /// For the library: the two halves of an exchange. Own cells are ready;
  void signal_neighbours() {
    for (std::size_t k = 0; k < plan_->signal_at.size(); ++k)
      counter_of(plan_->halos.neighbours[k], plan_->signal_at[k]).signal();
  }
  /// For the library: the neighbours' are;
  void await_neighbours() {
    for (std::size_t k = 0; k < plan_->signal_at.size(); ++k) counter_of(plan_->me, k).local()->wait();
  }
  /// For the library: the halo takes them over: what all neighbours have is under way before the first of it is waited for.
  void take_halo() {
    take(plan_->halos.own);
    await_neighbours();
    take(plan_->halos.others);
    sync_memory();
  }

 private:
  explicit matrix(std::shared_ptr<const detail::matrix_plan<N>> p) : plan_(std::move(p)) {
    const std::size_t n = plan().checked_layout(sizeof(T)).volume, neighbours = plan_->halos.neighbours.size();
    const std::size_t behind = detail::counters_at(n, sizeof(T));
    detail::note_type(plan_->members, detail::mark_of<T>());
    blocks_ = detail::block_storage::make(plan_->members, behind + neighbours * sizeof(counter), 128,
                                          detail::mark_with_type(plan_->members, plan_->mark(sizeof(T)), detail::sign_of_type<T>),
                                          [&](std::byte* at) {
                                            T* const cells = reinterpret_cast<T*>(at);
                                            for (std::size_t i = 0; i < n; ++i) ::new (static_cast<void*>(cells + i)) T();
                                            for (std::size_t k = 0; k < neighbours; ++k)
                                              ::new (static_cast<void*>(at + behind + k * sizeof(counter))) counter();
                                          });
    this->be_named(members());
  }
  matrix(const team& t, const point& extents, const grid& g, const halo& h)
      : matrix(std::make_shared<const detail::matrix_plan<N>>(t, detail::grid_shape<N>(extents, t.size(), g.blocks()), h)) {}

  const point& checked(const point& cell) const {
    for (std::size_t d = 0; d < N; ++d)
      if (cell[d] >= extent(d)) [[unlikely]]
        detail::throw_cell(d, cell[d], extent(d));
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
  void set_beyond(const point& at, F& f) {
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
  void catch_up(const team& t) {
    detail::require_recoverable(t, members());
    detail::catch_up(t, kept_, [this](recovered<matrix, cell_range<N>> later) {
      plan_ = std::move(later.container.plan_);
      blocks_ = std::move(later.container.blocks_);
      kept_.copies = std::move(later.container.kept_.copies);
    });
  }

  template <class U, std::size_t M>
  friend void swap(matrix<U, M>& a, matrix<U, M>& b) noexcept;
  friend detail::rebalancer;

  std::shared_ptr<const detail::matrix_plan<N>> plan_;
  detail::block_storage blocks_;
  detail::keeping<recovered<matrix, cell_range<N>>> kept_;
};

template <class T, std::size_t N>
void matrix<T, N>::load(const std::string& path) {
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
  *this = std::move(read);
  detail::meet(members);
}

template <class T, std::size_t N>
recovered<matrix<T, N>, cell_range<N>> matrix<T, N>::recover(const team& t) {
  using result = recovered<matrix, cell_range<N>>;
  detail::require_kept(kept_.copies, members(), "recover");
  catch_up(t);
  const detail::kept_parts& copies = *kept_.copies;
  result back = detail::recover_together(t, kept_.unfinished, [&] {
    const detail::found_checkpoint found = copies.newest(t);
    const auto& shape = *static_cast<const detail::matrix_shape<N>*>(found.shape.get());
    const detail::matrix_plan<N>& was = *shape.places;
    result r{over(t, was), found.mark, detail::gone_cells<N>(shape, found.parts)};
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
  detail::require_memory_stays(members());
  catch_up(t);
  return detail::recover_together(t, kept_.unfinished, [&] {
    detail::require_alike(t, detail::mark_of_blocks(blocks_, members(), plan_->mark(sizeof(T))));
    result r{over(t, *plan_), 0, {}};
    detail::fill_from_parts<T, N>(*plan_, detail::present_parts(blocks_, members()), r.container.plan(), r.container.first());
    if (kept_.copies != nullptr) r.container.keep(kept_.copies->wish());
    return r;
  });
}

/// Exchanges the cells of two matrices, and their halos, without a message. By all members alike.
template <class T, std::size_t N>
void swap(matrix<T, N>& a, matrix<T, N>& b) noexcept {
  matrix<T, N> was_a = std::move(a);
  a = std::move(b);
  b = std::move(was_a);
  std::swap(a.kept_, b.kept_);
}

}  // namespace armilla
