// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "armilla/container/grid/row_image.hpp"
#include "armilla/container/grid/sparse_matrix_inline.hpp"

namespace armilla {

/// One number of a sparse matrix, as it is made from.
template <class T>
struct matrix_entry {
  std::size_t row = 0, column = 0;
  T value{};
};

/// A matrix of which few numbers are not zero. Rows lie in blocks over the ranks of a team, with as many numbers in each as can
/// be.
///
///     am::sparse_matrix<double> a(n, n, mine);                       // mine: matrix_entry's that this rank knows, of any rows
///     am::sparse_matrix<double> b = am::read_matrix_market("b.mtx");
///     am::vector<double> x(a.columns(), a.column_distribution()), y(a.rows(), a.row_distribution());
///     am::spmv(a, x, y);
///
/// Entries of one place are added up. It moves and does not copy, and does not change. Made by all members together. Errors:
/// remote_error on all members for an entry outside; limit_error for more rows than the hosts have memory for, 16 bytes each.
template <class T>
class sparse_matrix : public detail::named_container<sparse_matrix<T>> {
 public:
  using value_type = T;
  using handle_type = container_handle<sparse_matrix>;

  sparse_matrix() = default;
  /// Cost: one exchange of all entries, two reductions.
  sparse_matrix(std::size_t rows, std::size_t columns, std::span<const matrix_entry<T>> mine, const team& t = world())
      : members_(t) {
    detail::note_type(t, detail::mark_of<T>());
    detail::failure why;
    try {
      for (const auto& e : mine)
        if (e.row >= rows || e.column >= columns) detail::throw_entry_outside(e.row, e.column, rows, columns);
    } catch (...) { why.note(); }
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
      detail::add_up(entries);
      part_ = detail::compress(entries, borders[me], borders[me + 1] - borders[me], columns_, t.rank());
    } catch (...) { why.note(); }
    non_zeros_ = detail::agree(t, "sparse_matrix", why, entries.size(), std::plus<>{});
    this->be_named(t);
  }
  sparse_matrix(std::size_t rows, std::size_t columns, const std::vector<matrix_entry<T>>& mine, const team& t = world())
      : sparse_matrix(rows, columns, std::span<const matrix_entry<T>>(mine), t) {}
  sparse_matrix(sparse_matrix&&) noexcept = default;
  sparse_matrix& operator=(sparse_matrix&&) noexcept = default;

  std::size_t rows() const noexcept { return rows_.size(); }
  std::size_t columns() const noexcept { return columns_.size(); }
  /// Places that have an entry.
  std::size_t non_zeros() const noexcept { return members_ ? non_zeros_ : 0; }
  /// The ranks that have it.
  const team& members() const noexcept { return members_; }
  /// Names it on all members, wherever it moves: to send and to keep. No message.
  handle_type handle() const { return this->template make_handle<handle_type>(); }
  /// How vectors lie with which `spmv` moves nothing but what rows need of other members. The two are the same for a square
  /// matrix.
  distribution row_distribution() const { return as_in(members_, rows_); }
  distribution column_distribution() const { return as_in(members_, columns_); }

  /// The numbers (i, i), dealt as rows. Collective.
  array<T> diagonal() const {
    array<T> all(rows(), row_distribution());
    const auto into = all.local();
    for_each_entry([&](std::size_t row, std::size_t column, const T& value) {
      if (row == column) into[row - first_row_] = value;
    });
    detail::meet(members_);
    return all;
  }

  /// f(row, column, value) for the entries of this rank's rows, row by row.
  template <class F>
  void for_each_entry(F f) const {
    std::size_t borders = 0;
    for (std::size_t r = 0; r < part_.inner.rows(); ++r) {
      const bool border = borders < part_.border_row.size() && part_.border_row[borders] == r;
      const detail::compressed_rows<T>& rows = border ? part_.border : part_.inner;
      const std::size_t at = border ? borders++ : r;
      for (std::size_t k = rows.begin[at]; k < rows.begin[at + 1]; ++k)
        f(first_row_ + r, detail::column_of(part_, columns_, members_.rank(), rows.column[k]), rows.value[k]);
    }
  }

  /// Writes all entries into a file, which replaces an old one when it is whole, and not before. Collective, and a fence of the
  /// team. T is sendable. Errors: usage_error on all members, and the old file stays.
  void save(const std::string& path) const {
    if (!members_) [[unlikely]]
      detail::throw_moved_from();
    detail::images::save(*this, path);
  }
  /// Becomes the matrix of a file that a sparse_matrix of such numbers has saved on any number of ranks, over the same ranks as
  /// before; one that was made without entries over all ranks. Collective, and a fence of the team. Errors: usage_error on all
  /// members for a file that is damaged or of another kind or element, limit_error for one that does not fit; the matrix is as
  /// before then. Cost: as making it.
  void load(const std::string& path) { detail::images::load(*this, members_ ? members_ : world(), path); }

  /// Replicates each rank's rows in the memory of the next `copies` ranks of the team from now on: `checkpoint` makes the copies,
  /// and `recover` takes them, as of an array (docs/guide/death.md).
  void keep(int copies) { detail::images::keep(*this, copies); }
  /// Copies all entries to where `keep` said: all or nothing. As of a list.
  void checkpoint(std::uint64_t mark = 0) { detail::images::checkpoint(*this, mark); }
  /// Returns the matrix of the last checkpoint over the ranks of `t`, which `members().survivors()` gave. `gone` has the ranks of
  /// the job whose rows are lost with all their copies: they are empty. As of a list. Cost: as making it, and a checkpoint.
  [[nodiscard]] recovered<sparse_matrix, rank_t> recover(const team& t) {
    return detail::images::recover<sparse_matrix>(*this, t);
  }

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
  static detail::saved_type image_type() {
    static_assert(sendable_value<T>, "armilla: the numbers of a sparse_matrix must be sendable to be saved or kept");
    return {detail::saved_kind::sparse_matrix, 0, detail::element_name<std::vector<std::uint64_t>, std::vector<T>>::text};
  }
  detail::image_numbers numbers_of_image() const { return {rows(), columns()}; }
  void put_image(detail::piece_writer& to) const {
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
  void take_image(detail::image_reader& from) {
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
    sparse_matrix made(std::size_t(rows), std::size_t(columns), mine, from.members());
    made.keep_name_of(*this);
    made.kept_ = std::move(kept_);
    *this = std::move(made);
    detail::meet(members_);
  }

  team members_;
  armilla::placement rows_, columns_;
  std::size_t first_row_ = 0, non_zeros_ = 0;
  mutable detail::sparse_part<T> part_;  // `fetched` is room for one product at a time
  detail::keeping<sparse_matrix> kept_;
};

/// Reads a matrix from a MatrixMarket file of coordinates (real, integer or pattern; general, symmetric or skew-symmetric), each
/// rank its part of the lines. Collective. Errors: usage_error or remote_error on all members, with file and line, for a file
/// that is not one, for more or fewer entries than its line of sizes says, and for an integer that a double does not hold
/// exactly.
sparse_matrix<double> read_matrix_market(const std::string& path, const file_options& how = {});

// The library has the one that files give.
extern template class sparse_matrix<double>;

}  // namespace armilla
