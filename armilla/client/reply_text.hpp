// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

/// The lines in which ranks answer those that look at a job: fields between tabs. The text is not believed.
namespace armilla::detail {

/// Takes the text up to `end`, or all of it, off its front.
inline std::string_view next_field(std::string_view& text, char end) noexcept {
  const std::size_t n = std::min(text.find(end), text.size());
  const std::string_view field = text.substr(0, n);
  text.remove_prefix(std::min(n + 1, text.size()));
  return field;
}

/// False: it is not a number and nothing else.
inline bool read_number(std::string_view text, std::uint64_t& number) noexcept {
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
  return wrong == std::errc() && end == text.data() + text.size();
}

/// For a terminal: no control characters, and not too long.
inline std::string printable(std::string_view field) {
  constexpr std::size_t most_letters = 300;
  std::string text(field.substr(0, most_letters));
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return text;
}

}  // namespace armilla::detail
