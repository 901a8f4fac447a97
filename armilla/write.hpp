// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/algorithm/elementwise/write_inline.hpp"
#include "armilla/container/grid/dense_cells.hpp"
#include "armilla/matrix.hpp"
#include "armilla/sparse_matrix.hpp"

/// Writes containers and views to files.
///
/// All members call these functions. When they return, the whole file is written. To read such files, see armilla/files.hpp. To
/// store a container and read it back on any number of ranks, use its `save` and `load`.
///
///     am::array<std::string> names(100);
///     am::write_lines("names.txt", names);
///     am::write_csv("squares.csv", am::views::zip(am::views::iota(0, 100), names));
///
/// **Order.** Elements are written in the order of their indices. An existing file is replaced.
///
/// **Compression.** Text is compressed if the name of the file ends in `.gz` or `.zst`. Each rank compresses what it writes.
///
/// **Errors.** Throws `usage_error` on all members if the file cannot be written. Throws `remote_error` on all members if a
/// function of a view throws, or if the format does not allow an element; the file is then unchanged.
///
/// **Cost.** A pass, a copy of what this rank writes, and three collectives. Elements of a cyclic distribution are sent to the
/// ranks that write them.
namespace armilla {

/// Writes strings, one in each line. A string must not contain the end of a line.
template <distributed_range R>
  requires std::convertible_to<typename views::all_t<R>::value_type, std::string_view>
void write_lines(const std::string& path, R&& lines) {
  detail::write_in_order("write_lines", path, detail::reading(std::forward<R>(lines)),
                         [](std::string& all, const auto& line) { detail::append_line(all, std::string_view(line)); });
}

/// Does the same, and writes `header` as the first line.
template <distributed_range R>
  requires std::convertible_to<typename views::all_t<R>::value_type, std::string_view>
void write_lines(const std::string& path, std::string_view header, R&& lines) {
  std::string first;
  detail::append_line(first, header);
  detail::write_in_order(
      "write_lines", path, detail::reading(std::forward<R>(lines)),
      [](std::string& all, const auto& line) { detail::append_line(all, std::string_view(line)); }, first);
}

/// Writes words, with a space between them, in lines of about 80 characters, as `read_words` reads them. A word must not be empty
/// or contain white space.
template <distributed_range R>
  requires std::convertible_to<typename views::all_t<R>::value_type, std::string_view>
void write_words(const std::string& path, R&& words) {
  detail::write_in_order(
      "write_words", path, detail::reading(std::forward<R>(words)),
      [lines = detail::word_lines()](std::string& all, const auto& word) mutable { lines.append(all, std::string_view(word)); });
}

/// Writes aggregates, pairs, tuples or arrays of fields as records of comma-separated values, as `read_csv` reads them (RFC
/// 4180, but lines end in `\n`).
///
///     struct sale { std::string town; std::optional<double> price; };
///
/// With the names of the members in the first record:
///
///     am::vector<sale> sales(100);
///     am::write_csv("sales.csv", sales, {.header = true});
///
/// With `columns`, the first record has these names; for aggregates, `header` alone writes the names of the members. Numbers
/// have as many digits as distinguish them. Times are in UTC. An empty `std::optional` is the first string of `missing`, if
/// there is one, or an empty field. Throws `usage_error` unless the separator, the quote and the decimal point differ.
template <distributed_range R>
  requires detail::csv_record<std::remove_const_t<typename views::all_t<R>::value_type>>
void write_csv(const std::string& path, R&& records, const file_options& how = {});
template <distributed_range R>
  requires detail::csv_record<std::remove_const_t<typename views::all_t<R>::value_type>>
void write_csv(const std::string& path, R&& records, char separator) {
  write_csv(path, std::forward<R>(records), {.separator = separator});
}

/// Writes the members `from` and `to` of each element, and `weight` if it has one, as a line that `read_edges` reads.
template <distributed_range R>
  requires requires(const typename views::all_t<R>::value_type& e) { e.from, e.to; }
void write_edges(const std::string& path, R&& edges);

/// Writes a sparse matrix as a general MatrixMarket file of coordinates, as `read_matrix_market` reads it. Its numbers are
/// integer, real or complex, as `T` is. Each rank writes its rows. Cost: a copy of what this rank writes, and a collective.
template <class T>
  requires detail::market_number<T>
void write_matrix_market(const std::string& path, const sparse_matrix<T>& m);

/// Writes a matrix as a MatrixMarket array, column by column. Each rank writes a share of the columns. Cost: an exchange of all
/// cells, a copy of what this rank writes, and three collectives.
template <class T>
  requires detail::market_number<T>
void write_matrix_market(const std::string& path, const matrix<T>& m);

/// Writes the elements as they are in memory.
template <distributed_range R>
  requires trivially_sendable<std::remove_const_t<typename views::all_t<R>::value_type>>
void write_binary(const std::string& path, R&& elements) {
  detail::write_in_order(
      "write_binary", path, detail::reading(std::forward<R>(elements)),
      [](std::string& all, const auto& e) { all.append(reinterpret_cast<const char*>(std::addressof(e)), sizeof e); }, {}, false);
}

// ---- Implementation only below ----

template <distributed_range R>
  requires detail::csv_record<std::remove_const_t<typename views::all_t<R>::value_type>>
void write_csv(const std::string& path, R&& records, const file_options& how) {
  using record = std::remove_const_t<typename views::all_t<R>::value_type>;
  const detail::csv_format format = detail::format_of(how);
  detail::require_writable(format, how.decimal);
  detail::write_in_order(
      "write_csv", path, detail::reading(std::forward<R>(records)),
      [&, rules = detail::rules_of(how)](std::string& all, const record& e) { detail::append_record(all, e, format, rules); },
      detail::header_record<record>(how.columns, how.header, format));
}

template <distributed_range R>
  requires requires(const typename views::all_t<R>::value_type& e) { e.from, e.to; }
void write_edges(const std::string& path, R&& edges) {
  detail::write_in_order("write_edges", path, detail::reading(std::forward<R>(edges)), [](std::string& all, const auto& e) {
    detail::append_number(all, e.from);
    detail::append_number(all += ' ', e.to);
    if constexpr (requires { e.weight; }) detail::append_number(all += ' ', e.weight);
    all += '\n';
  });
}

template <class T>
  requires detail::market_number<T>
void write_matrix_market(const std::string& path, const sparse_matrix<T>& m) {
  const detail::algorithm_call all("write_matrix_market");
  std::string bytes;
  if (m.members().rank() == 0)
    detail::append_numbers(bytes = detail::market_banner<T>("coordinate"), m.rows(), m.columns(), m.non_zeros());
  m.for_each_entry(
      [&](std::size_t row, std::size_t column, const T& value) { detail::append_numbers(bytes, row + 1, column + 1, value); });
  detail::write_parts("write_matrix_market", path, m.members(), bytes, true);
}

template <class T>
  requires detail::market_number<T>
void write_matrix_market(const std::string& path, const matrix<T>& m) {
  const detail::algorithm_call all("write_matrix_market");
  const std::vector<T> mine = detail::cells_by_columns(m, "write_matrix_market");
  std::string bytes;
  if (m.members().rank() == 0) detail::append_numbers(bytes = detail::market_banner<T>("array"), m.extent(0), m.extent(1));
  for (const T& value : mine) detail::append_numbers(bytes, value);
  detail::write_parts("write_matrix_market", path, m.members(), bytes, true);
}

}  // namespace armilla
