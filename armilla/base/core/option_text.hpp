// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

// How values of options are written and shown.
namespace armilla::detail {

/// ASCII only, whatever the locale says.
constexpr char upper(char c) noexcept { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;

bool parse_flag(std::string_view text, bool& value) noexcept;
bool parse_number(std::string_view text, int low, int high, int& value) noexcept;

/// The shortest exact spelling: 131072 -> "128K", 50000 ns -> "50us".
std::string show_bytes(std::uint64_t bytes);
std::string show_duration(std::uint64_t ns);

/// "; did you mean tree?" of the nearest of these names, if a slip of the finger explains the difference; else empty.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

/// A warning for the user if ARMILLA_TUNED names a file that cannot be read; else empty. What starts a job says it once.
std::string complaint_of_tuned_file();

}  // namespace armilla::detail
