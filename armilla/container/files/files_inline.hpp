// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/base/values/parse_floating.hpp"
#include "armilla/container/files/csv_record.hpp"
#include "armilla/sendable.hpp"
#include "armilla/team.hpp"

namespace armilla::detail {

/// Where a file may be cut.
enum class cut_at { line, word, record, bytes };

/// What a reader takes a file for. A file that is something else is refused by its first bytes.
enum class file_content {
  elements,  ///< as in memory
  text,      ///< any
  table,     ///< lines or records
  market,    ///< MatrixMarket
};

/// How a file is read, alike on all members.
struct file_use {
  const char* operation = "";
  cut_at where = cut_at::line;
  file_content content = file_content::text;
  team members{};  ///< the empty one: all ranks
  bool skip_bad = false;
  csv_format csv{};      ///< of cut_at::record
  std::size_t unit = 1;  ///< of cut_at::bytes: the file is a whole number of them
};

/// This rank's part of a file, in memory.
class file_part {
 public:
  /// Collective.
  file_part(const std::string& path, const file_use& use);
  file_part(const file_part&) = delete;

  const char* begin() const noexcept { return memory_.at + begin_; }
  const char* end() const noexcept { return memory_.at + end_; }
  /// Of `begin()`, in the file; and how many bytes the whole file has.
  std::uint64_t offset() const noexcept { return read_from_ + begin_; }
  std::uint64_t file_size() const noexcept { return file_size_; }
  /// The file begins with this part.
  bool is_first() const noexcept { return use_.members.rank() == 0; }
  const team& members() const noexcept { return use_.members; }

  /// What is at `at` does not fit: throws a usage_error that names file and line, or counts it if such lines are skipped.
  /// `advice`: what to do about it; null: fix the file, or skip_bad.
  void complain(const char* at, std::string_view what, const char* advice = nullptr);
  std::size_t skipped() const noexcept { return skipped_; }
  const std::string& path() const noexcept { return path_; }

 private:
  struct opened;
  void read_share(const opened& file);
  bool quotes_before(const opened& file) const;
  void cut(const opened& file, bool quoted);
  bool read_more(const opened& file);
  bool reserve(std::size_t bytes);
  void skip_mark();
  void check_text();
  void check_records();
  void note(std::string_view wrong);
  std::uint64_t line_of(const char* at) const;

  std::string path_;
  file_use use_;
  struct pages {
    char* at = nullptr;
    std::size_t bytes = 0;
    pages() = default;
    pages(const pages&) = delete;
    ~pages();
  } memory_;
  std::size_t size_ = 0;             // of what is in memory_
  std::size_t begin_ = 0, end_ = 0;  // of the part, in memory_
  std::uint64_t read_from_ = 0, file_size_ = 0;
  std::string wrong_;
  std::size_t skipped_ = 0;
};

/// Collective: throws a usage_error on all members if the file is a METIS graph, whose lines look like edges.
void refuse_metis(const file_part& part);

/// All of the next line of [at, end), without its end; `at` goes behind it.
std::string_view next_line(const char*& at, const char* end) noexcept;
std::string_view next_word(const char*& at, const char* end) noexcept;

/// Words in lines of some 80 characters. Throws for a word that would not be read back as it is.
class word_lines {
 public:
  void append(std::string& all, std::string_view word);

 private:
  std::size_t column_ = 0;
};

/// A field's value. False: it is none.
template <class T>
bool parse_field(std::string_view field, T& value);
/// An empty field has no value.
template <class T>
bool parse_field(std::string_view field, std::optional<T>& value) {
  value.reset();
  return field.find_first_not_of(' ') == field.npos || parse_field(field, value.emplace());
}
template <class T>
bool parse_field(std::string_view field, T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    while (!field.empty() && field.front() == ' ') field.remove_prefix(1);
    while (!field.empty() && field.back() == ' ') field.remove_suffix(1);
    if (!field.empty() && field.front() == '+') field.remove_prefix(1);
    if constexpr (std::is_floating_point_v<T>) {
      return parse_floating(field, value);
    } else {
      const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
      return error == std::errc{} && end == field.data() + field.size() && !field.empty();
    }
  } else {
    value = T(field);
    return true;
  }
}

struct line_reader {
  using value = std::string_view;
  bool next(file_part& part, const char*& at, value& line) {
    if (at == part.end()) return false;
    line = next_line(at, part.end());
    return true;
  }
};
struct word_reader {
  using value = std::string_view;
  bool next(file_part& part, const char*& at, value& word) {
    word = next_word(at, part.end());
    return !word.empty();
  }
};

std::string text_of_bad_number_of_fields(std::size_t have, std::size_t wanted);
std::string text_of_bad_field(std::string_view field, std::size_t number);
std::string text_of_no_edge(std::string_view line, bool weighted);

/// Rows of a table of comma-separated values. Without types: the fields as strings.
template <class... T>
struct csv_reader {
  using value = std::conditional_t<sizeof...(T) == 0, std::vector<std::string_view>, std::tuple<T...>>;
  csv_reader(const csv_format& format, bool with_header) : header(with_header), record_(format) {}
  bool header;

  bool next(file_part& part, const char*& at, value& row) {
    if (header && part.is_first() && at == part.begin() && at != part.end()) static_cast<void>(take(part, at));
    while (at != part.end())
      if (take(part, at) && fits(part, row)) return true;
    return false;
  }

 private:
  bool take(file_part& part, const char*& at) {
    line_ = at;
    const std::string_view wrong = record_.next(at, part.end());
    if (!wrong.empty()) complain(part, fields().size(), wrong);
    return wrong.empty() && !record_.blank();
  }
  bool fits(file_part& part, value& row) {
    if constexpr (sizeof...(T) == 0) {
      row = fields();
    } else if (fields().size() != sizeof...(T)) {
      part.complain(line_, text_of_bad_number_of_fields(fields().size(), sizeof...(T)),
                    fitted_ ? nullptr : "give read_csv one type for each field");
      return false;
    } else if (const std::size_t bad = parse(row, std::index_sequence_for<T...>{}); bad != sizeof...(T)) {
      part.complain(
          line_, text_of_bad_field(fields()[bad], bad),
          fitted_ ? nullptr : "give read_csv the types of the fields, or file_options::header if the first record names them");
      return false;
    }
    return fitted_ = true;
  }
  void complain(file_part& part, std::size_t field, std::string_view wrong) {
    part.complain(line_, "field " + std::to_string(field + 1) + ": " + std::string(wrong), "");
  }
  /// The first field that is no value of its type, or their number.
  template <std::size_t... I>
  std::size_t parse(std::tuple<T...>& row, std::index_sequence<I...>) {
    std::size_t bad = sizeof...(T);
    static_cast<void>(((parse_field(fields()[I], std::get<I>(row)) || (bad = I, false)) && ...));
    return bad;
  }
  const std::vector<std::string_view>& fields() const noexcept { return record_.fields(); }

  record_parser record_;
  const char* line_ = nullptr;
  bool fitted_ = false;  // a record of this pass did
};

/// Two numbers and perhaps a weight a line, and anything after them; what begins with # or % is a comment.
template <class Edge>
struct edge_reader {
  using value = Edge;
  bool next(file_part& part, const char*& at, value& e) {
    while (at != part.end()) {
      const char* const line = at;
      const std::string_view text = next_line(at, part.end());
      const char *in = text.data(), *const end = in + text.size();
      const std::string_view first = next_word(in, end);
      if (first.empty() || first[0] == '#' || first[0] == '%') continue;
      bool good = parse_field(first, e.from) && parse_field(next_word(in, end), e.to);
      constexpr bool weighted = requires { e.weight; };
      if constexpr (weighted) good = good && parse_field(next_word(in, end), e.weight);
      if (good && std::string_view(in, end).find('\r') == std::string_view::npos) return true;
      part.complain(line, text_of_no_edge(text, weighted));
    }
    return false;
  }
};

}  // namespace armilla::detail
