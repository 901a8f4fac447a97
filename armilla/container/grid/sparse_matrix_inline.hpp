// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "armilla/array.hpp"
#include "armilla/base/values/container_names.hpp"
#include "armilla/collectives.hpp"
#include "armilla/container/grid/dealt_rows.hpp"
#include "armilla/container/keyed/guarded_sort.hpp"
#include "armilla/files.hpp"

namespace armilla {
template <class T>
struct matrix_entry;
}

namespace armilla::detail {

template <class T>
inline constexpr bool is_market_number =
    std::is_same_v<T, double> || std::is_same_v<T, float> || std::is_same_v<T, std::complex<double>> ||
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::int32_t>;
template <class M>
inline constexpr bool is_market_matrix = false;
template <class T>
inline constexpr bool is_market_matrix<sparse_matrix<T>> = is_market_number<T>;
template <class T>
inline constexpr bool is_market_matrix<matrix<T, 2>> = is_market_number<T>;

[[noreturn, gnu::cold]] void throw_entry_outside(std::size_t row, std::size_t column, std::size_t rows, std::size_t columns);
[[noreturn, gnu::cold]] void throw_too_many_columns(std::size_t columns);
/// What a member needs for its rows, beside their entries. limit_error if no rank can have as much.
std::uint64_t bytes_of_rows(std::size_t rows, rank_t members);

/// Rows one behind the other.
template <class T>
struct compressed_rows {
  std::vector<std::size_t> begin{0};
  std::vector<std::uint32_t> column;
  std::vector<T> value;

  void add(std::uint32_t c, const T& v) {
    column.push_back(c);
    value.push_back(v);
  }
  void end_row() { begin.push_back(column.size()); }
  std::size_t rows() const noexcept { return begin.empty() ? 0 : begin.size() - 1; }
};

/// Elements of a vector that rows of this rank need of another member.
struct ghost_run {
  rank_t owner;
  std::size_t first;                ///< place of the first one among the fetched
  std::vector<std::size_t> places;  ///< in the owner's part
};

/// This rank's rows. Columns are places in its part of the vector; behind those the fetched ones.
template <class T>
struct sparse_part {
  compressed_rows<T> inner;             ///< rows that need no other member's elements; the others are empty in it
  compressed_rows<T> border;            ///< the others,
  std::vector<std::size_t> border_row;  ///< and which they are
  std::vector<ghost_run> ghosts;
  std::vector<T> fetched;  ///< room for the ghosts
  std::size_t own_columns = 0;
};

/// The column of the matrix that stands as `at` in this rank's rows.
template <class T>
std::size_t column_of(const sparse_part<T>& p, const placement& columns, rank_t me, std::size_t at) {
  if (at < p.own_columns) return columns.index_of(me, at);
  const std::size_t place = at - p.own_columns;
  const auto behind = std::ranges::upper_bound(p.ghosts, place, {}, &ghost_run::first);
  const ghost_run& from = *std::prev(behind);
  return columns.index_of(from.owner, from.places[place - from.first]);
}

/// A row's entries by their columns; those of one column stay in their order. Rows are short.
template <class T>
void sort_row(std::span<matrix_entry<T>> row) {
  constexpr std::size_t few = 32;
  if (row.size() > few)
    return guarded_stable_sort(row.data(), row.size(), [](const auto& a, const auto& b) { return b.column > a.column; });
  for (std::size_t k = 1; k < row.size(); ++k) {
    const matrix_entry<T> e = row[k];
    std::size_t at = k;
    for (; at > 0 && row[at - 1].column > e.column; --at) row[at] = row[at - 1];
    row[at] = e;
  }
}

/// In order, those of one place as one. All rows are among the `rows` from `first_row` on: they are counted, then each is sorted.
template <class T>
void add_up(std::vector<matrix_entry<T>>& mine, std::size_t first_row, std::size_t rows) {
  const auto before = [](const auto& a, const auto& b) { return a.row != b.row ? b.row > a.row : b.column > a.column; };
  if (!std::ranges::is_sorted(mine, before)) {
    std::vector<std::size_t> end(rows + 1, 0);  // of each row, once all before it have their places
    for (const auto& e : mine) ++end[e.row - first_row + 1];
    for (std::size_t r = 1; r <= rows; ++r) end[r] += end[r - 1];
    std::vector<matrix_entry<T>> by_rows(mine.size());
    for (const auto& e : mine) by_rows[end[e.row - first_row]++] = e;
    mine.swap(by_rows);
    for (std::size_t r = 0, begin = 0; r < rows; begin = end[r++]) sort_row(std::span(mine).subspan(begin, end[r] - begin));
  }
  std::size_t kept = 0;
  for (std::size_t k = 0; k < mine.size(); ++k)
    if (kept > 0 && mine[kept - 1].row == mine[k].row && mine[kept - 1].column == mine[k].column)
      mine[kept - 1].value += mine[k].value;
    else
      mine[kept++] = mine[k];
  mine.resize(kept);
}

/// Columns of other members, in order, and the numbers that they have among these.
class far_columns {
 public:
  /// `some`: columns of a matrix of `all` columns, in any order, often.
  far_columns(std::vector<std::size_t> some, std::size_t all) {
    if (all / 16 > some.size()) {
      std::ranges::sort(some);
      some.erase(std::unique(some.begin(), some.end()), some.end());
      columns_ = std::move(some);
      return;
    }
    number_.resize(all);
    for (const std::size_t column : some) number_[column] = 1;
    for (std::size_t column = 0; column < all; ++column)
      if (number_[column] != 0) {
        number_[column] = std::uint32_t(columns_.size());
        columns_.push_back(column);
      }
  }
  std::size_t size() const noexcept { return columns_.size(); }
  std::size_t operator[](std::size_t k) const noexcept { return columns_[k]; }
  std::size_t number_of(std::size_t column) const noexcept {
    return number_.empty() ? std::size_t(std::ranges::lower_bound(columns_, column) - columns_.begin()) : number_[column];
  }

 private:
  std::vector<std::size_t> columns_;
  std::vector<std::uint32_t> number_;  // by column, if columns are as many as entries; there are fewer than 2^32
};

/// Columns of other members, each once, and which member has them.
template <class T>
far_columns find_ghosts(sparse_part<T>& p, const std::vector<matrix_entry<T>>& mine, const placement& where, rank_t me) {
  std::vector<std::size_t> some;
  for (const auto& e : mine)
    if (where.member_of(e.column) != me) some.push_back(e.column);
  far_columns far(std::move(some), where.size());
  for (std::size_t k = 0; k < far.size(); ++k) {
    const auto at = where.locate(far[k]);
    if (p.ghosts.empty() || p.ghosts.back().owner != at.member) p.ghosts.push_back({at.member, k, {}});
    p.ghosts.back().places.push_back(at.place);
  }
  p.fetched.resize(far.size());
  return far;
}

template <class T>
sparse_part<T> compress(const std::vector<matrix_entry<T>>& mine, std::size_t first_row, std::size_t rows, const placement& where,
                        rank_t me) {
  sparse_part<T> p;
  p.own_columns = where.count(me);
  const far_columns far = find_ghosts(p, mine, where, me);
  if (p.own_columns + far.size() > UINT32_MAX) throw_too_many_columns(p.own_columns + far.size());
  const auto local = [&](std::size_t column) {
    const auto at = where.locate(column);
    return std::uint32_t(at.member == me ? at.place : p.own_columns + far.number_of(column));
  };
  for (std::size_t row = 0, k = 0; row < rows; ++row) {
    std::size_t end = k;
    bool inner = true;
    for (; end < mine.size() && mine[end].row == first_row + row; ++end) inner = inner && where.member_of(mine[end].column) == me;
    compressed_rows<T>& to = inner ? p.inner : p.border;
    for (; k < end; ++k) to.add(local(mine[k].column), mine[k].value);
    if (!inner) {
      p.border.end_row();
      p.border_row.push_back(row);
    }
    p.inner.end_row();
  }
  return p;
}

}  // namespace armilla::detail
