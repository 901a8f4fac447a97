// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/values/escaped.hpp"

#include <cstdint>
#include <cstring>

namespace armilla::detail {
namespace {

constexpr std::size_t longest_escape = 4;

struct utf8_length {
  std::size_t bytes;
  std::uint32_t first_bits, least;
};

// By its first byte; of none that can be one: 0 bytes.
utf8_length length_by(unsigned char first) noexcept {
  if (first >= 0xc2 && first <= 0xdf) return {2, first & 0x1fu, 0x80};
  if (first >= 0xe0 && first <= 0xef) return {3, first & 0x0fu, 0x800};
  if (first >= 0xf0 && first <= 0xf4) return {4, first & 0x07u, 0x10000};
  return {0, 0, 0};
}

constexpr std::uint32_t first_beyond_controls = 0xa0;  // U+0080 to U+009F are controls once more

// Bytes of the character that `text` begins with; 0: it cannot be shown.
std::size_t shown_bytes(std::string_view text) noexcept {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const utf8_length length = length_by(first);
  if (length.bytes == 0 || length.bytes > text.size()) return 0;
  std::uint32_t code = length.first_bits;
  for (std::size_t i = 1; i < length.bytes; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte & 0x3fu);
  }
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code >= length.least && code >= first_beyond_controls && code <= 0x10ffff && !surrogate ? length.bytes : 0;
}

std::size_t escape_byte(char* out, unsigned char byte) noexcept {
  constexpr char digits[] = "0123456789abcdef";
  const char letter = byte == '\n' ? 'n' : byte == '\t' ? 't' : byte == '\r' ? 'r' : 'x';
  out[0] = '\\';
  out[1] = letter;
  if (letter != 'x') return 2;
  out[2] = digits[byte >> 4];
  out[3] = digits[byte & 15];
  return longest_escape;
}

// Takes the next character off `text`; how many bytes it is in `out`, which has room for it.
std::size_t take_next(char* out, std::string_view& text, std::string_view kept) noexcept {
  const std::size_t shown = kept.find(text.front()) != kept.npos ? 1 : shown_bytes(text);
  if (shown == 0) {
    const auto byte = static_cast<unsigned char>(text.front());
    text.remove_prefix(1);
    return escape_byte(out, byte);
  }
  std::memcpy(out, text.data(), shown);
  text.remove_prefix(shown);
  return shown;
}

}  // namespace

std::string escaped(std::string_view text, std::string_view kept) {
  std::string all;
  all.reserve(text.size());
  for (char one[longest_escape]; !text.empty();) {
    const std::size_t bytes = take_next(one, text, kept);
    all.append(one, bytes);
  }
  return all;
}

std::size_t escape_into(char* out, std::size_t room, std::string_view text, std::string_view kept) noexcept {
  std::size_t at = 0;
  for (char one[longest_escape]; !text.empty();) {
    const std::size_t bytes = take_next(one, text, kept);
    if (bytes > room - at) break;
    std::memcpy(out + at, one, bytes);
    at += bytes;
  }
  return at;
}

}  // namespace armilla::detail
