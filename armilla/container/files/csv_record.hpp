// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace armilla::detail {

/// How records are written.
struct csv_format {
  char separator = ',';
  char quote = '"';         ///< 0: quotes are plain text
  bool skip_space = false;  ///< spaces and tabs around a field are not part of it
  char comment = 0;         ///< a record that begins with it is skipped up to the end of its line; 0: there are no comments
};

/// usage_error if what separates fields, quotes them, begins a comment and stands in numbers cannot be told apart.
void require_distinct(const char* operation, const csv_format& format, char decimal = '.');
/// The same for a writer, which needs a quote.
void require_writable(const csv_format& format, char decimal);

/// The characters that may end a plain field.
class field_ends {
 public:
  explicit field_ends(const csv_format& format) noexcept;
  bool has(char c) const noexcept { return is_end_[std::uint8_t(c)]; }
  /// The first of them in [at, end), or `end`.
  const char* find(const char* at, const char* end) const noexcept;

 private:
  std::array<std::uint64_t, 4> eight_{};  // each of them, eight times
  std::array<bool, 256> is_end_{};
};

/// Parses records, one after the other.
class record_parser {
 public:
  /// Throws a usage_error as require_distinct.
  explicit record_parser(const csv_format& format);

  /// Parses the record at `at` and moves `at` to the next one. Returns what is wrong with the record, or an empty view.
  std::string_view next(const char*& at, const char* end);
  /// The fields of the last record, valid until the next call. If the record is bad, those before the bad one.
  const std::vector<std::string_view>& fields() const noexcept { return fields_; }
  /// This field of the last record was in quotes.
  bool quoted(std::size_t field) const noexcept;
  /// The last record is an empty line.
  bool blank() const noexcept { return blank_; }
  /// Moves `at` behind the comments that begin there.
  void skip_comments(const char*& at, const char* end) const noexcept;

 private:
  std::string_view take_plain(const char*& at, const char* end);
  std::string_view take_quoted(const char*& at, const char* end);
  void skip_space(const char*& at, const char* end) const noexcept;
  bool ends_field(const char* at, const char* end) const noexcept;
  bool is_quote(char c) const noexcept { return c == format_.quote && format_.quote != 0; }

  csv_format format_;
  field_ends ends_;
  bool blank_ = false;
  const char* begin_ = nullptr;  // of the last record
  std::vector<std::string_view> fields_;
  std::vector<std::pair<std::size_t, std::size_t>> rewritten_;  // the field, and its place in room_
  std::vector<std::string> room_;
};

/// The first quote of [at, end) that neither begins nor ends a field, and is not doubled inside of one; or `end`. `at` is the
/// beginning of a record. If there is none, then each record ends at the first end of a line before which the number of quotes is
/// even.
const char* find_stray_quote(const char* at, const char* end, const csv_format& format) noexcept;

/// What a byte of a file of records follows; `mark`: a byte order mark, or a part of it.
enum class record_state : std::uint8_t { begin, plain, quoted, comment, mark };
record_state next_state(record_state state, char c, const csv_format& format) noexcept;

/// What state a text ends in, for each state in which it may begin.
struct record_states {
  std::array<record_state, 5> after{record_state::begin, record_state::plain, record_state::quoted, record_state::comment,
                                    record_state::mark};

  record_state operator[](record_state before) const noexcept { return after[std::size_t(before)]; }
};
record_states states_after(std::string_view text, const csv_format& format) noexcept;
/// The same of a text without comments that has so many quotes, and ends in `last`.
record_states states_after(std::uint64_t quotes, char last) noexcept;

}  // namespace armilla::detail
