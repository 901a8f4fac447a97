// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "armilla/named.hpp"

/// What errors, reports and files call an object.
namespace armilla::detail {

/// Longer names are cut.
inline constexpr std::size_t most_name_letters = 64;
/// As many letters of the name as errors show.
std::string shown_name(std::string_view name);

/// `"temperature" (am::vector<double>, 1,000 elements, heat.cpp:31)`; without a name `am::vector<double> (1,000 elements,
/// heat.cpp:31)`. `extent` and `place` may be empty.
std::string text_of_object(std::string_view name, std::string_view type, std::string_view extent, std::string_view place);
/// "heat.cpp:31": a file without its folder.
std::string text_of_place(const std::source_location& where);
/// 1234567 as "1,234,567".
std::string with_commas(std::uint64_t n);

}  // namespace armilla::detail
