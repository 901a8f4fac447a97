// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>

#include "armilla/algorithm/elementwise/in_order.hpp"
#include "armilla/files.hpp"

/// What is written to a file, as text.
namespace armilla::detail {

/// Each member takes its share of the elements, in the order of the indices, as bytes: put(bytes, element).
template <class V, class Put>
void write_in_order(const char* operation, const std::string& path, const V& v, Put put) {
  algorithm_call why(operation, v);
  std::string bytes;
  enter_in_order(v);
  walk_in_order(v, why, [&](const auto c, std::size_t n, const indices& at) {
    each_of_piece(c, n, at, why, [&](std::size_t k) { put(bytes, c[k]); });
    return !why.happened();
  });
  agree(v.members(), operation, why);
  write_parts(operation, path, v.members(), bytes.data(), bytes.size());
}

template <class N>
  requires std::is_arithmetic_v<N>
void append_number(std::string& all, N number) {
  char digits[128];
  if constexpr (std::is_same_v<N, bool>)
    all += number ? '1' : '0';
  else
    all.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

/// RFC 4180: a string with separators, quotes or ends of lines is put in quotes, and its quotes are doubled. So is one with
/// spaces at its ends, which some readers drop, or with a byte order mark.
inline void append_text(std::string& all, std::string_view text, char separator) {
  const bool bare = text.empty() || (text.front() != ' ' && text.front() != '\t' && text.back() != ' ' && text.back() != '\t' &&
                                     text.front() != '%' && !text.starts_with("\xEF\xBB\xBF"));
  if (bare && text.find_first_of("\"\r\n") == text.npos && text.find(separator) == text.npos) {
    all += text;
    return;
  }
  all += '"';
  for (const char c : text) all.append(c == '"' ? 2 : 1, c);
  all += '"';
}

/// A number in which the separator occurs is put in quotes, too.
template <class N>
void append_number_field(std::string& all, N number, char separator) {
  const std::size_t begin = all.size();
  append_number(all, number);
  if (all.find(separator, begin) == all.npos) return;
  all.insert(begin, 1, '"');
  all += '"';
}

template <class F>
void append_field(std::string& all, const F& field, char separator) {
  if constexpr (std::convertible_to<const F&, std::string_view>)
    append_text(all, field, separator);
  else
    append_number_field(all, field, separator);
}

}  // namespace armilla::detail
