// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

/// Dimensions that users name by number.
namespace armilla::detail {

[[noreturn, gnu::cold]] void throw_dimension(std::size_t dimensions, std::size_t d);
/// Budget: nothing where `d` is a constant.
constexpr std::size_t dimension_below(std::size_t dimensions, std::size_t d) {
  if (d >= dimensions) [[unlikely]]
    throw_dimension(dimensions, d);
  return d;
}

}  // namespace armilla::detail
