// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace armilla::detail {

/// `text` as it can be shown: what a terminal would obey, and bytes that are no UTF-8, are written as "\n", "\t" or "\x1b".
/// Letters of every language stay, and so does the backslash: what is escaped stays as it is when it is escaped once more.
/// Characters of `kept` stay, too.
std::string escaped(std::string_view text, std::string_view kept = {});

/// The same into `out`, as far as `room` bytes hold whole characters; how many it took. Without allocation.
std::size_t escape_into(char* out, std::size_t room, std::string_view text, std::string_view kept = {}) noexcept;

}  // namespace armilla::detail
