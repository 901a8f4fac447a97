// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace armilla::detail {

/// All of `field` as a number, as std::from_chars reads it, also with standard libraries whose own knows no such numbers. False:
/// it is none, or is out of range; then `value` stays.
bool parse_floating(std::string_view field, float& value);
bool parse_floating(std::string_view field, double& value);
bool parse_floating(std::string_view field, long double& value);

}  // namespace armilla::detail
