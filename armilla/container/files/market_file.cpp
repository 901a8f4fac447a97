// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/files/market_file.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "armilla/base/values/extents.hpp"
#include "armilla/collectives.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

using values = market_header::values;
using symmetry = market_header::symmetry;

constexpr const char* what_is_read =
    "a MatrixMarket file begins with '%%MatrixMarket matrix', coordinate or array, real, integer, complex or pattern, and "
    "general, symmetric, skew-symmetric or hermitian";

std::string lower(std::string_view word) {
  std::string text(word);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return text;
}

/// The place of a word in a list, or its end.
template <std::size_t N>
std::size_t find_word(const std::string& word, const std::string_view (&list)[N]) {
  return std::size_t(std::ranges::find(list, word) - list);
}

/// The kind of file that a first line shows, if it is no MatrixMarket file.
std::string text_of_banner(const std::string (&word)[5], std::string_view line) {
  std::uint64_t number = 0;
  if (word[0] != "%%matrixmarket" && parse_field(word[0], number) && parse_field(word[1], number))
    return "its first line has numbers; read_edges reads lists of edges";
  return fmt::format("it begins with '{}'", line.substr(0, 80));
}

market_header parse_banner(const char* operation, const std::string& path, std::string_view line) {
  constexpr std::string_view fields[] = {"real", "integer", "complex", "pattern", "double", "unsigned-integer"};
  constexpr std::string_view shapes[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
  const char *at = line.data(), *const end = at + line.size();
  std::string word[5];
  for (std::string& w : word) w = lower(next_word(at, end));
  const std::size_t field = find_word(word[3], fields), shape = find_word(word[4], shapes);
  market_header h{.dense = word[2] == "array"};
  const bool known = word[0] == "%%matrixmarket" && word[1] == "matrix" && (h.dense || word[2] == "coordinate") &&
                     field != std::size(fields) && shape != std::size(shapes);
  if (!known) throw_usage(operation, fmt::format("'{}': {}; {}", path, text_of_banner(word, line), what_is_read));
  h.field = values(field < 4 ? field : field - 4);
  h.shape = symmetry(shape);
  if (h.dense && h.field == values::pattern)
    throw_usage(operation, fmt::format("'{}': an array of a pattern, which has no values; {}", path, what_is_read));
  return h;
}

bool is_market_comment(std::string_view line) {
  const char* at = line.data();
  return line.starts_with('%') || next_word(at, line.data() + line.size()).empty();
}

/// How many values of column `j` an array lists, and the row of the first one.
std::uint64_t first_listed(const market_header& h, std::uint64_t j) {
  return h.shape == symmetry::general ? 0 : h.shape == symmetry::skew ? j + 1 : j;
}
std::uint64_t values_of_array(const market_header& h) {
  if (h.shape == symmetry::general) return bounded_product(h.rows, h.columns);
  const std::uint64_t n = h.rows, other = h.shape == symmetry::skew ? n - (n != 0) : bounded_sum(n, 1);
  return n % 2 == 0 ? bounded_product(n / 2, other) : bounded_product(n, other / 2);
}

}  // namespace

market_file::market_file(const char* operation, std::shared_ptr<file_part> part, bool skip_bad)
    : operation_(operation), part_(std::move(part)), at_(part_->begin()), skip_bad_(skip_bad) {
  header_ = from_first(part_->begin() != part_->end(), "it is empty",
                       [&] { return parse_banner(operation_, path(), next_line(at_, part_->end())); });
  skip_comments();
  header_ = from_first(at_ != part_->end(), "it has no line of sizes", [&] { return parse_sizes(), header_; });
  if (header_.dense) find_first_value();
}

/// What the first member that `has` it reads, on all.
template <class F>
auto market_file::from_first(bool has, const char* missing, F parse) -> decltype(parse()) {
  const team& t = members();
  const std::vector<std::uint8_t> all = t.all_gather(std::uint8_t(has));
  const auto first = std::ranges::find(all, 1) - all.begin();
  if (first == std::ptrdiff_t(all.size())) throw_usage(operation_, fmt::format("'{}': {}", path(), missing));
  decltype(parse()) value{};
  failure why;
  if (t.rank() == first) try {
      value = parse();
    } catch (const passing&) { throw; } catch (...) {
      why.note();
    }
  agree(t, operation_, why);
  return t.broadcast(value, rank_t(first));
}

void market_file::skip_comments() {
  while (at_ != part_->end()) {
    const char* behind = at_;
    if (!is_market_comment(next_line(behind, part_->end()))) return;
    at_ = behind;
  }
}

void market_file::parse_sizes() {
  const std::string_view line = next_line(at_, part_->end());
  const char *in = line.data(), *const end = in + line.size();
  market_header& h = header_;
  if (!parse_field(next_word(in, end), h.rows) || !parse_field(next_word(in, end), h.columns) ||
      (!h.dense && !parse_field(next_word(in, end), h.lines)) || !next_word(in, end).empty())
    throw_usage(operation_, fmt::format("'{}': '{}' is not a line of sizes ({})", path(), line.substr(0, 80),
                                        h.dense ? "rows, columns" : "rows, columns, entries"));
  if (h.mirrored() && h.rows != h.columns)
    throw_usage(operation_, fmt::format("'{}': a symmetric matrix of {} rows and {} columns; they must be as many", path(),
                                        h.rows, h.columns));
  if (h.dense) h.lines = values_of_array(h);
}

/// Of a dense matrix: the place of this member's first value follows from the number of values before it.
void market_file::find_first_value() {
  std::uint64_t mine = 0;
  for (const char* at = at_; at != part_->end();) mine += is_market_comment(next_line(at, part_->end())) ? 0 : 1;
  std::uint64_t before = members().exclusive_scan(mine, std::uint64_t(0), std::plus<>{});
  const std::uint64_t all = members().all_reduce(mine, std::plus<>{});
  if (all != header_.lines) throw_bad_count(all);
  if (header_.shape == symmetry::general) {
    if (header_.rows != 0) column_ = before / header_.rows, row_ = before % header_.rows;
    return;
  }
  for (; before != 0 && before >= header_.rows - first_listed(header_, column_); ++column_)
    before -= header_.rows - first_listed(header_, column_);
  row_ = first_listed(header_, column_) + before;
}

std::size_t market_file::expected() const noexcept {
  constexpr std::size_t shortest_line = 4;  // "1 1\n", of a pattern
  const std::uint64_t lines = header_.lines / std::uint64_t(members().size());
  const auto most = std::size_t(part_->end() - at_) / (header_.dense ? shortest_line / 2 : shortest_line) + 1;
  return std::size_t(std::min<std::uint64_t>(lines + lines / 32 + 16, most)) * (header_.mirrored() ? 2 : 1);
}

bool market_file::take_place(const char*& in, const char* end, market_line& e) {
  if (header_.dense) {
    e.row = row_, e.column = column_;
    if (++row_ == header_.rows) row_ = first_listed(header_, ++column_);
    return true;
  }
  if (!parse_field(next_word(in, end), e.row) || !parse_field(next_word(in, end), e.column)) return false;
  return e.row-- - 1 < header_.rows && e.column-- - 1 < header_.columns;
}

bool market_file::take_value(const char*& in, const char* end, market_line& e) const {
  if (header_.field != values::pattern) e.value = next_word(in, end);
  if (header_.field == values::complex) e.imaginary = next_word(in, end);
  return next_word(in, end).empty();
}

bool market_file::next(market_line& e) {
  while (at_ != part_->end()) {
    e.at = at_;
    e.text = next_line(at_, part_->end());
    if (is_market_comment(e.text)) continue;
    const char *in = e.text.data(), *const end = in + e.text.size();
    if (!take_place(in, end, e) || !take_value(in, end, e)) {
      complain(e,
               header_.dense ? "is not a value of the matrix: an array has one in each line" : "is not an entry of the matrix");
    } else if (header_.shape == symmetry::skew && e.row == e.column) {
      complain(e, "is on the diagonal of a skew-symmetric matrix, which is zero and not listed");
    } else {
      ++lines_;
      return true;
    }
  }
  return false;
}

void market_file::complain(const market_line& e, const std::string& what, const char* advice) {
  part_->complain(e.at, fmt::format("'{}' {}", e.text.substr(0, 80), what), advice);
}

void market_file::end(failure& why) {
  const std::uint64_t all = agree(members(), operation_, why, lines_, std::plus<>{});
  if (all != header_.lines && !skip_bad_) throw_bad_count(all);
}

void market_file::throw_bad_count(std::uint64_t have) const {
  throw_usage(
      operation_,
      fmt::format("'{}' has {} {}, and {} by its line of sizes; {}", path(), have, header_.dense ? "values" : "entries",
                  header_.lines, have < header_.lines ? "is it cut off?" : "these are too many: is the line of sizes wrong?"));
}

}  // namespace armilla::detail
