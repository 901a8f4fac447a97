// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "armilla/container/grid/row_image.hpp"
#include "armilla/container/grid/sparse_matrix_inline.hpp"

namespace armilla {

/// One number of a sparse matrix: what a `sparse_matrix` is constructed from.
template <class T>
struct matrix_entry {
  std::size_t row = 0, column = 0;
  T value{};
};

/// A distributed matrix of which few numbers are not zero. Its rows are in blocks over the ranks of a team, with as equal numbers
/// of entries as possible.
///
/// Use it for products with vectors (`spmv`) and for solvers that are made of them. It does not change after construction. If
/// most numbers are not zero, use a `matrix`.
///
///     am::sparse_matrix<double> a(n, n, my_entries);                 // collective: entries that this rank has, of any rows
///     am::vector<double> x(a.columns(), a.column_distribution()), y(a.rows(), a.row_distribution());
///     am::spmv(a, x, y);                                             // collective: y = a x
///
/// **Kinds of operations.** Construction, `read_matrix_market` and `diagonal` are collective; the others send no message.
///
/// **Errors.** Throws `remote_error` on all members for an entry outside of the matrix. Throws `limit_error` if the hosts have no
/// memory for the rows, 16 bytes each.
///
/// **Lifetime.** A sparse_matrix is movable but not copyable.
template <class T>
class sparse_matrix : public detail::named_container<sparse_matrix<T>> {
 public:
  using value_type = T;
  using handle_type = container_handle<sparse_matrix>;

  // ---- Construction (collective) ----

  /// Creates a matrix without rows and without ranks, such as a moved-from one. Not collective.
  sparse_matrix() = default;
  /// Creates a matrix of `rows` by `columns` from the entries of all members. Entries of the same row and column are added.
  ///
  /// Each member gives any entries, of any rows. Cost: one exchange of all entries, and three reductions.
  sparse_matrix(std::size_t rows, std::size_t columns, std::span<const matrix_entry<T>> mine, const team& t = world(),
                const made_at& at = std::source_location::current())
      : sparse_matrix(rows, columns, mine, t, &static_cast<const detail::making&>(detail::making(at, typeid(sparse_matrix), t))) {
  }
  sparse_matrix(std::size_t rows, std::size_t columns, const std::vector<matrix_entry<T>>& mine, const team& t = world(),
                const made_at& at = std::source_location::current())
      : sparse_matrix(rows, columns, std::span<const matrix_entry<T>>(mine), t, at) {}
  /// Creates a matrix over all ranks, with a name: `am::sparse_matrix<double> a(n, n, mine, am::named("stiffness"))`.
  sparse_matrix(std::size_t rows, std::size_t columns, std::span<const matrix_entry<T>> mine, const made_at& at)
      : sparse_matrix(rows, columns, mine, world(), at) {}
  sparse_matrix(std::size_t rows, std::size_t columns, const std::vector<matrix_entry<T>>& mine, const made_at& at)
      : sparse_matrix(rows, columns, std::span<const matrix_entry<T>>(mine), world(), at) {}
  sparse_matrix(sparse_matrix&&) noexcept = default;
  sparse_matrix& operator=(sparse_matrix&&) noexcept = default;

  // ---- Local access (no message) ----

  /// Returns the number of rows.
  std::size_t rows() const noexcept { return rows_.size(); }
  /// Returns the number of columns.
  std::size_t columns() const noexcept { return columns_.size(); }
  /// Returns the number of entries on all ranks; those of the same row and column count once.
  std::size_t non_zeros() const noexcept { return members_ ? non_zeros_ : 0; }
  /// Returns the team over which the rows are distributed.
  const team& members() const noexcept { return members_; }

  /// Returns the distribution of result vectors for which `spmv` moves least. For a square matrix it is that of
  /// `column_distribution`.
  distribution row_distribution() const { return as_in(members_, rows_); }
  /// Returns the distribution of argument vectors for which `spmv` moves only what rows need from other members.
  distribution column_distribution() const { return as_in(members_, columns_); }

  /// Calls `f(row, column, value)` for each entry of this rank's rows, row by row.
  template <class F>
  void for_each_entry(F f) const;

  /// Returns a small value that names the matrix on all members, wherever it is moved.
  handle_type handle() const { return this->template make_handle<handle_type>(); }

  // ---- Whole matrix (collective) ----

  /// Returns the numbers (i, i), distributed as the rows. Cost: two collectives.
  array<T> diagonal(const made_at& at = std::source_location::current()) const;

  /// Writes all entries to the file `path`. `load` reads them on any number of ranks.
  ///
  /// Fences the team first. `T` must be sendable. The file replaces an existing one only when it is complete. `usage_error` on
  /// all members if writing fails.
  void save(const std::string& path) const;

  /// Replaces the matrix by that of a file that a sparse_matrix of the same type has saved, on any number of ranks.
  ///
  /// Fences the team. The ranks remain; a matrix without ranks is distributed over all. `usage_error` on all members if the file
  /// is damaged or has another kind of content, `limit_error` if the matrix does not fit; it is then unchanged. Cost: as
  /// construction.
  void load(const std::string& path) { detail::images::load(*this, members_ ? members_ : world(), path); }

  /// Makes `checkpoint` copy each rank's rows to the memory of the next `copies` ranks of the team, from which `recover` takes
  /// them when a rank is lost, as `array::keep`.
  void keep(int copies) { detail::images::keep(*this, copies); }

  /// Copies all entries to the ranks that `keep` chose, as `list::checkpoint`.
  void checkpoint(std::uint64_t mark = 0) { detail::images::checkpoint(*this, mark); }

  /// Returns a matrix over `t` with the entries of the last checkpoint, after ranks were lost, as `list::recover`. `gone` of the
  /// result has the ranks of the job of whose rows no copy is left; these have no entries. Cost: as construction, and a
  /// checkpoint.
  [[nodiscard]] recovered<sparse_matrix, rank_t> recover(const team& t) {
    return detail::images::recover<sparse_matrix>(*this, t);
  }

  // ---- For the library ----

  /// For algorithms.
  const detail::sparse_part<T>& part() const noexcept { return part_; }
  /// For algorithms.
  std::span<T> fetched() const noexcept { return {part_.fetched.data(), part_.fetched.size()}; }
  /// For algorithms.
  const armilla::placement& row_placement() const noexcept { return rows_; }
  /// For algorithms.
  const armilla::placement& column_placement() const noexcept { return columns_; }

 private:
  friend detail::images;
  // An empty one, whose image follows.
  explicit sparse_matrix(const team& t) : members_(t) {}
  sparse_matrix(std::size_t rows, std::size_t columns, std::span<const matrix_entry<T>> mine, const team& t,
                const detail::making* how);
  static detail::saved_type image_type() {
    static_assert(sendable_value<T>, "armilla: the numbers of a sparse_matrix must be sendable to be saved or kept");
    return {detail::saved_kind::sparse_matrix, 0, detail::element_name<std::vector<std::uint64_t>, std::vector<T>>::text};
  }
  detail::image_numbers numbers_of_image() const { return {rows(), columns()}; }
  void put_image(detail::piece_writer& to) const;
  void take_image(detail::image_reader& from);

  team members_;
  armilla::placement rows_, columns_;
  std::size_t first_row_ = 0, non_zeros_ = 0;
  mutable detail::sparse_part<T> part_;  // `fetched` is room for one product at a time
  detail::keeping<sparse_matrix> kept_;
};

/// A type that `read_matrix_market` returns: a `sparse_matrix` or a `matrix` of two dimensions whose numbers are `double`,
/// `float`, `std::complex` of one of them, `std::int64_t` or `std::int32_t`.
template <class M>
concept market_matrix = detail::is_market_matrix<M>;

/// Reads a matrix from a MatrixMarket file. Collective: each rank reads a part of the lines.
///
/// A file of coordinates is read into a `sparse_matrix`, an array into a `matrix`. Values are real, integer, complex or pattern
/// (each entry is 1); a matrix is general, symmetric, skew-symmetric or hermitian, and gets the other half as well. A matrix of
/// complex numbers takes any file, one of `double` any but complex ones, one of integers those of integers and patterns.
///
/// `usage_error` or `remote_error` on all members, with file and line, if it is no such file, does not fit the type, has another
/// number of entries than its line of sizes says, or an integer that the type does not represent exactly. Cost: as construction,
/// and a few collectives; a `matrix` takes one exchange of its cells.
///
///     am::sparse_matrix<double> b = am::read_matrix_market("b.mtx");
///     auto c = am::read_matrix_market<am::sparse_matrix<std::complex<double>>>("c.mtx");
///     auto d = am::read_matrix_market<am::matrix<double>>("dense.mtx");            // with armilla/matrix.hpp
template <market_matrix M = sparse_matrix<double>>
M read_matrix_market(const std::string& path, const file_options& how = {}, const made_at& at = std::source_location::current());

// ---- Implementation only below ----

namespace detail {

/// In matrix_market.cpp, for each `market_matrix`. Without a constraint: compilers give constrained templates different symbols.
template <class M>
M read_market_matrix(const std::string& path, const file_options& how, const made_at& at);

}  // namespace detail

template <market_matrix M>
M read_matrix_market(const std::string& path, const file_options& how, const made_at& at) {
  return detail::read_market_matrix<M>(path, how, at);
}

template <class T>
sparse_matrix<T>::sparse_matrix(std::size_t rows, std::size_t columns, std::span<const matrix_entry<T>> mine, const team& t,
                                const detail::making* how)
    : members_(t) {
  detail::note_type(t, detail::mark_of<T>());
  detail::failure why;
  try {
    for (const auto& e : mine)
      if (e.row >= rows || e.column >= columns) detail::throw_entry_outside(e.row, e.column, rows, columns);
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  detail::agree(t, "sparse_matrix", why);
  const std::uint64_t of_rows = detail::bytes_of_rows(rows, t.size());
  detail::require_memory(t, "sparse_matrix", of_rows, of_rows);
  const std::vector<std::size_t> borders = detail::deal_rows(t, rows, [&](auto weigh) {
    for (const auto& e : mine) weigh(e.row);
  });
  rows_ = detail::blocks_between(borders);
  columns_ = rows == columns ? rows_ : placement(columns, t.size(), blocks());
  const detail::row_owners owner(borders, detail::rows_a_weight(rows));
  auto entries = detail::entries_of_own_rows(t, mine, owner, [](const auto& e) { return e.row; });
  const auto me = std::size_t(t.rank());
  first_row_ = borders[me];
  try {
    detail::add_up(entries, borders[me], borders[me + 1] - borders[me]);
    part_ = detail::compress(entries, borders[me], borders[me + 1] - borders[me], columns_, t.rank());
  } catch (const detail::passing&) { throw; } catch (...) {
    why.note();
  }
  non_zeros_ = detail::agree(t, "sparse_matrix", why, entries.size(), std::plus<>{});
  this->be_named(t, how);
}

template <class T>
array<T> sparse_matrix<T>::diagonal(const made_at& at) const {
  array<T> all(rows(), row_distribution(), at);
  const auto into = all.local();
  for_each_entry([&](std::size_t row, std::size_t column, const T& value) {
    if (row == column) into[row - first_row_] = value;
  });
  detail::meet(members_);
  return all;
}

template <class T>
template <class F>
void sparse_matrix<T>::for_each_entry(F f) const {
  std::size_t borders = 0;
  for (std::size_t r = 0; r < part_.inner.rows(); ++r) {
    const bool border = borders < part_.border_row.size() && part_.border_row[borders] == r;
    const detail::compressed_rows<T>& rows = border ? part_.border : part_.inner;
    const std::size_t at = border ? borders++ : r;
    for (std::size_t k = rows.begin[at]; k < rows.begin[at + 1]; ++k)
      f(first_row_ + r, detail::column_of(part_, columns_, members_.rank(), rows.column[k]), rows.value[k]);
  }
}

template <class T>
void sparse_matrix<T>::save(const std::string& path) const {
  if (!members_) [[unlikely]]
    detail::throw_moved_from();
  detail::images::save(*this, path);
}

template <class T>
void sparse_matrix<T>::put_image(detail::piece_writer& to) const {
  std::vector<std::uint64_t> places;
  std::size_t at = 0;
  const auto end_row = [&] {
    if (places.empty()) return;
    detail::put_row<std::uint64_t>(to.keys, at, places.size(), [&places](std::size_t k) { return places[k]; });
    places.clear();
    to.end_element();
  };
  for_each_entry([&](std::size_t row, std::size_t column, const T& value) {
    if (row != at) end_row();
    at = row;
    places.push_back(column);
    detail::column<T>::put(to.values, value);
  });
  end_row();
}

template <class T>
void sparse_matrix<T>::take_image(detail::image_reader& from) {
  const std::uint64_t rows = from.numbers()[0], columns = from.numbers()[1];
  std::vector<matrix_entry<T>> mine;
  from.each_own_piece([&](detail::column_rest& keys, detail::column_rest& values, std::uint64_t n, std::uint64_t) {
    for (; n != 0; --n) {
      const detail::taken_row<std::uint64_t> row(keys);
      for (std::size_t k = 0; k < row.size(); ++k) {
        if (row.row() >= rows || row[k] >= columns) return detail::note_entry_outside(from, row.row(), row[k]);
        mine.push_back({std::size_t(row.row()), std::size_t(row[k]), T(detail::column<T>::take(values))});
      }
    }
  });
  from.agree();
  sparse_matrix made(std::size_t(rows), std::size_t(columns), mine, from.members(), nullptr);
  made.keep_name_of(*this);
  made.kept_ = std::move(kept_);
  *this = std::move(made);
  detail::meet(members_);
}

// The library has the one that files give.
extern template class sparse_matrix<double>;

}  // namespace armilla
