// SPDX-License-Identifier: Apache-2.0
#include "armilla/sparse_matrix.hpp"

#include <fmt/format.h>

#include "armilla/base/values/extents.hpp"
#include "armilla/base/values/limits.hpp"
#include "armilla/error.hpp"

namespace armilla::detail {

void note_entry_outside(image_reader& from, std::uint64_t row, std::uint64_t column) {
  from.note(fmt::format("it has an entry ({}, {}), and {} rows of {} columns; it is damaged: load another one", row, column,
                        from.numbers()[0], from.numbers()[1]));
}

void throw_entry_outside(std::size_t row, std::size_t column, std::size_t rows, std::size_t columns) {
  throw_usage("sparse_matrix", fmt::format("entry ({}, {}) of a matrix of {} rows and {} columns; they are numbered from 0", row,
                                           column, rows, columns));
}
void throw_too_many_columns(std::size_t columns) {
  throw_limit("sparse_matrix", fmt::format("this rank's rows reach {} columns, more than 2^32; take more ranks", columns));
}

std::uint64_t bytes_of_rows(std::size_t rows, rank_t members) {
  const std::uint64_t bytes = bounded_product(bounded_sum(rows / std::size_t(members), 1), 2 * sizeof(std::size_t));
  if (bytes > most_segment_bytes)
    throw_limit("sparse_matrix", fmt::format("{} rows are more than its ranks have memory for{}; take fewer", rows,
                                             looks_negative(rows) ? " (is the number negative?)" : ""));
  return bytes;
}

namespace {

struct market_entries {
  std::size_t rows = 0, columns = 0;
  std::vector<matrix_entry<double>> mine;
};

/// What the first lines say.
struct market_header {
  bool pattern = false, integer = false, mirrored = false;
  double mirror = 1;  ///< 1: symmetric, -1: skew-symmetric
};

struct market_sizes {
  std::size_t rows = 0, columns = 0, entries = 0;
};

std::string lower(std::string_view word) {
  std::string text(word);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return text;
}

constexpr const char* what_is_read =
    "read_matrix_market reads '%%MatrixMarket matrix coordinate' with real, integer or pattern values that are general, "
    "symmetric "
    "or skew-symmetric";

/// The kind of file that a first line shows, if it is one that the caller does not read.
std::string text_of_banner(const std::string (&word)[5], std::string_view line) {
  std::uint64_t number = 0;
  if (word[0] != "%%matrixmarket" && parse_field(word[0], number) && parse_field(word[1], number))
    return "its first line has numbers; read_edges reads lists of edges";
  if (word[2] == "array") return "it is a dense matrix, a value a line, column by column; read_lines reads those lines";
  if (word[3] == "complex") return "its values are complex; write their real and imaginary parts as two real matrices";
  return fmt::format("it begins with '{}'", line.substr(0, 80));
}

market_header parse_banner(const std::string& path, std::string_view line) {
  const char *at = line.data(), *const end = at + line.size();
  std::string word[5];
  for (std::string& w : word) w = lower(next_word(at, end));
  const bool known = word[0] == "%%matrixmarket" && word[1] == "matrix" && word[2] == "coordinate" &&
                     (word[3] == "real" || word[3] == "integer" || word[3] == "pattern") &&
                     (word[4] == "general" || word[4] == "symmetric" || word[4] == "skew-symmetric");
  if (!known) throw_usage("read_matrix_market", fmt::format("'{}': {}; {}", path, text_of_banner(word, line), what_is_read));
  return {word[3] == "pattern", word[3] == "integer", word[4] != "general", word[4] == "skew-symmetric" ? -1.0 : 1.0};
}

/// An integer that a double holds.
bool parse_integer(std::string_view field, double& value) {
  std::int64_t n = 0;
  if (!parse_field(field, n)) return false;
  value = double(n);
  return value < 0x1p63 && std::int64_t(value) == n;
}

/// One reader a rank: its lines, and what all have in common.
class market_reader {
 public:
  market_reader(const std::string& path, const file_options& how)
      : path_(path),
        part_(path, use_of("read_matrix_market", cut_at::line, file_content::market, how)),
        at_(part_.begin()),
        skip_bad_(how.skip_bad) {}

  market_entries read() {
    const team& t = part_.members();
    header_ =
        from_first(part_.begin() != part_.end(), "it is empty", [&] { return parse_banner(path_, next_line(at_, part_.end())); });
    skip_comments();
    sizes_ = from_first(at_ != part_.end(), "it has no line of sizes", [&] { return parse_sizes(); });
    failure why;
    try {
      while (at_ != part_.end()) take_entry();
    } catch (...) { why.note(); }
    const std::size_t all = agree(t, "read_matrix_market", why, lines_, std::plus<>{});
    if (all != sizes_.entries && !skip_bad_)
      throw_usage("read_matrix_market",
                  fmt::format("'{}' has {} entries, and {} by its line of sizes; {}", path_, all, sizes_.entries,
                              all < sizes_.entries ? "is it cut off?" : "these are too many: is the line of sizes wrong?"));
    return {sizes_.rows, sizes_.columns, std::move(mine_)};
  }

 private:
  /// What the first member that `has` it reads, on all.
  template <class F>
  auto from_first(bool has, const char* missing, F parse) -> decltype(parse()) {
    const team& t = part_.members();
    const std::vector<std::uint8_t> all = t.all_gather(std::uint8_t(has));
    const auto first = std::ranges::find(all, 1) - all.begin();
    if (first == std::ptrdiff_t(all.size())) throw_usage("read_matrix_market", fmt::format("'{}': {}", path_, missing));
    decltype(parse()) value{};
    failure why;
    if (t.rank() == first) try {
        value = parse();
      } catch (...) { why.note(); }
    agree(t, "read_matrix_market", why);
    return t.broadcast(value, rank_t(first));
  }
  void skip_comments() {
    while (at_ != part_.end()) {
      const char* behind = at_;
      const std::string_view line = next_line(behind, part_.end());
      if (!is_comment(line)) return;
      at_ = behind;
    }
  }
  static bool is_comment(std::string_view line) {
    const char* at = line.data();
    return line.starts_with('%') || next_word(at, line.data() + line.size()).empty();
  }
  market_sizes parse_sizes() {
    const std::string_view line = next_line(at_, part_.end());
    const char *in = line.data(), *const end = in + line.size();
    market_sizes s;
    if (!parse_field(next_word(in, end), s.rows) || !parse_field(next_word(in, end), s.columns) ||
        !parse_field(next_word(in, end), s.entries) || !next_word(in, end).empty())
      throw_usage("read_matrix_market",
                  fmt::format("'{}': '{}' is not a line of sizes (rows, columns, entries)", path_, line.substr(0, 80)));
    if (header_.mirrored && s.rows != s.columns)
      throw_usage("read_matrix_market", fmt::format("'{}': a symmetric matrix of {} rows and {} columns; they must be as many",
                                                    path_, s.rows, s.columns));
    return s;
  }
  void take_entry() {
    const char* const from = at_;
    const std::string_view line = next_line(at_, part_.end());
    if (is_comment(line)) return;
    const char *in = line.data(), *const end = in + line.size();
    matrix_entry<double> e{0, 0, 1.0};
    bool good = parse_field(next_word(in, end), e.row) && parse_field(next_word(in, end), e.column);
    good = good && e.row - 1 < sizes_.rows && e.column - 1 < sizes_.columns;
    const std::string_view value = header_.pattern ? std::string_view() : next_word(in, end);
    if (good && header_.integer && !parse_integer(value, e.value))
      return part_.complain(from, fmt::format("'{}' is not an integer that a double holds exactly", value.substr(0, 80)),
                            "write the matrix as a real one if it may be rounded");
    if (!header_.pattern && !header_.integer) good = good && parse_field(value, e.value);
    good = good && next_word(in, end).empty();
    if (!good) return part_.complain(from, fmt::format("'{}' is not an entry of the matrix", line.substr(0, 80)));
    if (header_.mirror < 0 && e.row == e.column)
      return part_.complain(from, fmt::format("'{}' is on the diagonal of a skew-symmetric matrix, which is zero and not listed",
                                              line.substr(0, 80)));
    ++lines_, --e.row, --e.column;
    mine_.push_back(e);
    if (header_.mirrored && e.row != e.column) mine_.push_back({e.column, e.row, header_.mirror * e.value});
  }

  std::string path_;
  file_part part_;
  const char* at_;
  bool skip_bad_;
  market_header header_;
  market_sizes sizes_;
  std::size_t lines_ = 0;
  std::vector<matrix_entry<double>> mine_;
};

}  // namespace

}  // namespace armilla::detail

namespace armilla {

template class sparse_matrix<double>;

sparse_matrix<double> read_matrix_market(const std::string& path, const file_options& how) {
  const detail::market_entries all = detail::market_reader(path, how).read();
  return {all.rows, all.columns, all.mine, how.members ? how.members : world()};
}

}  // namespace armilla
