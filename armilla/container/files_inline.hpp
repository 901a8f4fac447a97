// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "armilla/base/parse_floating.hpp"
#include "armilla/team/team.hpp"
#include "armilla/wire/sendable.hpp"

namespace armilla::detail {

/// Where a file may be cut.
enum class cut_at { line, word, record, bytes };

/// This rank's part of a file, in memory.
class file_part {
 public:
  /// Collective. `unit`: of cut_at::bytes, the file is a whole number of them.
  file_part(const char* operation, const std::string& path, const team& members, cut_at where, std::size_t unit = 1);
  file_part(const file_part&) = delete;
  ~file_part();

  const char* begin() const noexcept { return memory_ + begin_; }
  const char* end() const noexcept { return memory_ + end_; }
  /// Of `begin()`, in the file; and how many bytes the whole file has.
  std::uint64_t offset() const noexcept { return read_from_ + begin_; }
  std::uint64_t file_size() const noexcept { return file_size_; }
  bool is_first() const noexcept { return offset() == 0; }
  const team& members() const noexcept { return members_; }

  /// A line does not fit: throws a usage_error that names file and line, or counts it.
  void complain(const char* at, const std::string& what);
  std::size_t skipped() const noexcept { return skipped_; }
  void set_skip_bad(bool skip) noexcept { skip_bad_ = skip; }

 private:
  struct opened;
  void read_share(const opened& file, cut_at where);
  char quotes_before(const opened& file) const;
  void cut(const opened& file, cut_at where, char quoted);
  bool read_more(const opened& file);
  void reserve(std::size_t bytes);

  const char* operation_;
  std::string path_;
  team members_;
  char* memory_ = nullptr;
  std::size_t capacity_ = 0, size_ = 0;  // of memory_
  std::size_t begin_ = 0, end_ = 0;      // of the part, in memory_
  std::uint64_t read_from_ = 0, file_size_ = 0;
  int error_ = 0;
  std::size_t skipped_ = 0;
  bool skip_bad_ = false;
};

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

/// The fields of the next record. Those in quotes that hold a doubled quote are rewritten into `room`. False: a quote is not
/// closed.
bool next_record(const char*& at, const char* end, char separator, std::vector<std::string_view>& fields,
                 std::vector<std::string>& room);

/// A field's value. False: it is none.
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

std::string text_of_bad_fields(std::size_t have, std::size_t wanted);
std::string text_of_bad_field(std::string_view field, std::size_t column);
std::string text_of_no_edge(std::string_view line, bool weighted);

/// Rows of a table of comma-separated values. Without types: the fields as texts.
template <class... T>
struct csv_reader {
  using value = std::conditional_t<sizeof...(T) == 0, std::vector<std::string_view>, std::tuple<T...>>;
  csv_reader(char between, bool with_header) : separator(between), header(with_header) {}
  char separator;
  bool header;

  bool next(file_part& part, const char*& at, value& row) {
    if (header && part.is_first() && at == part.begin() && at != part.end()) static_cast<void>(take(part, at));
    while (at != part.end()) {
      const char* const line = at;
      if (!take(part, at)) {
        part.complain(line, "a quote is not closed");
      } else if (fields_.size() == 1 && fields_[0].empty()) {
        continue;  // a blank line
      } else if constexpr (sizeof...(T) == 0) {
        row = fields_;
        return true;
      } else if (fields_.size() != sizeof...(T)) {
        part.complain(line, text_of_bad_fields(fields_.size(), sizeof...(T)));
      } else if (const std::size_t bad = parse(row, std::index_sequence_for<T...>{}); bad != sizeof...(T)) {
        part.complain(line, text_of_bad_field(fields_[bad], bad));
      } else {
        return true;
      }
    }
    return false;
  }

 private:
  bool take(file_part& part, const char*& at) { return next_record(at, part.end(), separator, fields_, room_); }
  /// The first field that is no value of its type, or their number.
  template <std::size_t... I>
  std::size_t parse(std::tuple<T...>& row, std::index_sequence<I...>) {
    std::size_t bad = sizeof...(T);
    static_cast<void>(((parse_field(fields_[I], std::get<I>(row)) || (bad = I, false)) && ...));
    return bad;
  }
  std::vector<std::string_view> fields_;
  std::vector<std::string> room_;
};

/// Two numbers and perhaps a weight a line, and anything behind them; what begins with # or % is a comment.
template <class Edge>
struct edge_reader {
  using value = Edge;
  bool next(file_part& part, const char*& at, value& e) {
    while (at != part.end()) {
      const char* const line = at;
      const std::string_view text = next_line(at, part.end());
      const char* in = text.data();
      const std::string_view first = next_word(in, text.data() + text.size());
      if (first.empty() || first[0] == '#' || first[0] == '%') continue;
      bool good = parse_field(first, e.from) && parse_field(next_word(in, text.data() + text.size()), e.to);
      constexpr bool weighted = requires { e.weight; };
      if constexpr (weighted) good = good && parse_field(next_word(in, text.data() + text.size()), e.weight);
      if (good) return true;
      part.complain(line, text_of_no_edge(text, weighted));
    }
    return false;
  }
};

}  // namespace armilla::detail
