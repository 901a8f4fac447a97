// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/files/csv_record.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "armilla/error.hpp"

namespace armilla::detail {
namespace {

constexpr std::uint64_t every_byte = 0x0101010101010101ULL;

bool is_blank(char c, char separator) noexcept { return (c == ' ' || c == '\t') && c != separator; }

/// The end of the line at `at`, behind which no quote is open.
const char* end_of_record(const char* at, const char* end, char quote) noexcept {
  bool quoted = false;
  for (; at != end; ++at) {
    if (*at == quote && quote != 0) quoted = !quoted;
    if (*at == '\n' && !quoted) return at + 1;
  }
  return end;
}

const char* find_char(const char* at, const char* end, char c) noexcept {
  const void* const found = at == end ? nullptr : std::memchr(at, c, std::size_t(end - at));
  return found != nullptr ? static_cast<const char*>(found) : end;
}

bool ends_line(char c) noexcept { return c == '\n' || c == '\r'; }

}  // namespace

void require_distinct(const char* operation, const csv_format& f, char decimal) {
  if (ends_line(f.separator) || ends_line(f.quote) || f.separator == f.quote)
    throw_usage(operation, "the separator and the quote must differ, and neither may end a line; pass others in file_options");
  if (f.comment != 0 && (ends_line(f.comment) || f.comment == f.separator || f.comment == f.quote))
    throw_usage(operation,
                "what begins a comment must be neither the separator, the quote nor the end of a line; pass another character in "
                "file_options::comment");
  if (decimal != '.' && decimal != 0 && (decimal == f.separator || decimal == f.quote || ends_line(decimal)))
    throw_usage(operation,
                "the decimal point must be neither the separator, the quote nor the end of a line; pass others in file_options");
}

void require_writable(const csv_format& f, char decimal) {
  if (f.quote == 0) throw_usage("write_csv", "some fields need quotes; pass a character for them in file_options::quote");
  require_distinct("write_csv", f, decimal);
}

field_ends::field_ends(const csv_format& format) noexcept {
  const char all[] = {format.separator, '\n', '\r', format.quote != 0 ? format.quote : '\n'};
  for (std::size_t i = 0; i < eight_.size(); ++i) {
    eight_[i] = every_byte * std::uint8_t(all[i]);
    is_end_[std::uint8_t(all[i])] = true;
  }
}

// Eight bytes at a time: a byte of `unlike` is 0 where the text has the character. Then the lowest high bit of `found` is the
// first one's; those above may be wrong.
const char* field_ends::find(const char* at, const char* end) const noexcept {
  for (; end - at >= 8 && std::endian::native == std::endian::little; at += 8) {
    std::uint64_t text, found = 0;
    std::memcpy(&text, at, sizeof text);
    for (const std::uint64_t each : eight_) {
      const std::uint64_t unlike = text ^ each;
      found |= (unlike - every_byte) & ~unlike;
    }
    found &= every_byte << 7;
    if (found != 0) return at + std::countr_zero(found) / 8;
  }
  while (at != end && !has(*at)) ++at;
  return at;
}

record_parser::record_parser(const csv_format& format) : format_(format), ends_(format) {
  require_distinct("read_csv", format, 0);
}

void record_parser::skip_comments(const char*& at, const char* end) const noexcept {
  while (format_.comment != 0 && at != end && *at == format_.comment) {
    at = find_char(at, end, '\n');
    if (at != end) ++at;
  }
}

std::string_view record_parser::next(const char*& at, const char* end) {
  skip_comments(at, end);
  const char* const begin = begin_ = at;
  fields_.clear(), rewritten_.clear(), room_.clear();
  blank_ = false;
  for (;;) {
    if (format_.skip_space) skip_space(at, end);
    const bool quoted = at != end && is_quote(*at);
    if (const std::string_view wrong = quoted ? take_quoted(at, end) : take_plain(at, end); !wrong.empty()) {
      at = end_of_record(begin, end, format_.quote);
      return wrong;
    }
    if (at != end && *at == format_.separator) {
      ++at;
      continue;
    }
    blank_ = fields_.size() == 1 && fields_[0].empty() && !quoted;
    at = find_char(at, end, '\n');
    if (at != end) ++at;
    for (const auto& [field, place] : rewritten_) fields_[field] = room_[place];
    return {};
  }
}

std::string_view record_parser::take_plain(const char*& at, const char* end) {
  const char* const begin = at;
  at = ends_.find(at, end);
  if (!ends_field(at, end)) {
    if (*at == '\r') return "a carriage return that is not part of the end of a line; put the field in quotes";
    const bool only_spaces = std::string_view(begin, at).find_first_not_of(" \t") == std::string_view::npos;
    return only_spaces
               ? "spaces before a quote; file_options::skip_space allows them"
               : "a quote inside a field that does not begin with one; put the field in quotes and double the quotes in it, or "
                 "read with file_options{.quote = 0}, where quotes are plain text";
  }
  std::string_view field(begin, std::size_t(at - begin));
  while (format_.skip_space && !field.empty() && is_blank(field.back(), format_.separator)) field.remove_suffix(1);
  fields_.push_back(field);
  return {};
}

std::string_view record_parser::take_quoted(const char*& at, const char* end) {
  const char* const begin = ++at;
  bool doubled = false;
  for (;;) {
    at = find_char(at, end, format_.quote);
    if (at == end) return "a quote is not closed; close it, or read with file_options{.quote = 0}, where quotes are plain text";
    if (at + 1 == end || at[1] != format_.quote) break;
    at += 2, doubled = true;
  }
  const std::string_view field(begin, std::size_t(at - begin));
  ++at;
  if (format_.skip_space) skip_space(at, end);
  if (!ends_field(at, end))
    return "text after the closing quote; double the quotes inside a field, or read with file_options{.quote = 0}, where quotes "
           "are plain text";
  if (doubled) {
    std::string text;
    for (std::size_t i = 0; i < field.size(); ++i) {
      text += field[i];
      if (field[i] == format_.quote) ++i;
    }
    rewritten_.emplace_back(fields_.size(), room_.size());
    room_.push_back(std::move(text));
  }
  fields_.push_back(field);
  return {};
}

// A plain field begins the record, or is preceded by a separator or a space.
bool record_parser::quoted(std::size_t field) const noexcept {
  for (const auto& [rewritten, place] : rewritten_)
    if (rewritten == field) return true;
  const char* const at = fields_[field].data();
  return at != begin_ && is_quote(at[-1]);
}

void record_parser::skip_space(const char*& at, const char* end) const noexcept {
  while (at != end && is_blank(*at, format_.separator)) ++at;
}

/// A separator or the end of a line stands at `at`.
bool record_parser::ends_field(const char* at, const char* end) const noexcept {
  if (at == end || *at == format_.separator || *at == '\n') return true;
  return *at == '\r' && (at + 1 == end || at[1] == '\n');
}

const char* find_stray_quote(const char* at, const char* end, const csv_format& format) noexcept {
  if (format.quote == 0) return end;
  const char* const begin = at;
  const auto is_space = [&](char c) { return format.skip_space && is_blank(c, format.separator); };
  for (;;) {
    const char* const open = find_char(at, end, format.quote);
    if (open == end) return end;
    if (format.comment != 0) {
      const char* line = open;
      while (line != at && line[-1] != '\n') --line;
      if (*line == format.comment && (line == begin || line[-1] == '\n')) {
        at = find_char(open, end, '\n');
        continue;
      }
    }
    const char* before = open;
    while (before != begin && is_space(before[-1])) --before;
    if (before != begin && before[-1] != format.separator && before[-1] != '\n') return open;
    const char* close = find_char(open + 1, end, format.quote);
    while (close != end && close + 1 != end && close[1] == format.quote) close = find_char(close + 2, end, format.quote);
    if (close == end) return open;
    const char* behind = close + 1;
    while (behind != end && is_space(*behind)) ++behind;
    if (behind != end && *behind == '\r') ++behind;
    if (behind != end && *behind != format.separator && *behind != '\n') return close;
    at = behind;
  }
}

record_state next_state(record_state state, char c, const csv_format& format) noexcept {
  using enum record_state;
  if (state == comment) return c == '\n' ? begin : comment;
  if (c == format.quote && format.quote != 0) return state == quoted ? plain : quoted;
  if (state == quoted) return quoted;
  if (c == '\n') return begin;
  if (state == plain) return plain;
  if (c == format.comment && format.comment != 0) return comment;
  return c == '\xEF' || c == '\xBB' || c == '\xBF' ? mark : plain;
}

record_states states_after(std::string_view text, const csv_format& format) noexcept {
  using enum record_state;
  record_states all;
  if (text.empty()) return all;
  if (format.comment != 0) {
    for (const char c : text)
      for (record_state& s : all.after) s = next_state(s, c, format);
    return all;
  }
  return states_after(std::uint64_t(std::count(text.begin(), text.end(), format.quote)), text.back());
}

record_states states_after(std::uint64_t quotes, char last) noexcept {
  using enum record_state;
  const record_state outside = last == '\n' ? begin : plain;
  record_states all;
  all.after = quotes % 2 == 0 ? std::array{outside, outside, quoted, comment, outside}
                              : std::array{quoted, quoted, outside, comment, quoted};
  return all;
}

}  // namespace armilla::detail
