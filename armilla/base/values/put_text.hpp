// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstring>
#include <string_view>

namespace armilla::detail {

/// Copies `text` into a field of fixed size, and ends it with a NUL. Text that is too long is cut, and ends in " ...".
template <std::size_t N>
void put_text(char (&to)[N], std::string_view text) noexcept {
  constexpr std::string_view cut = " ...";
  static_assert(N > cut.size());
  const std::size_t n = std::min(text.size(), N - 1);
  std::memcpy(to, text.data(), n);
  if (n != text.size()) std::memcpy(to + n - cut.size(), cut.data(), cut.size());
  to[n] = 0;
}

}  // namespace armilla::detail
