// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

/// Sizes that are computed from a number of the user or of a file. Where a product or sum is more than a number can be, the
/// result is the greatest number: each bound that follows then refuses it.
namespace armilla::detail {

constexpr std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t all = 0;
  return __builtin_mul_overflow(a, b, &all) ? UINT64_MAX : all;
}
constexpr std::uint64_t bounded_sum(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t all = 0;
  return __builtin_add_overflow(a, b, &all) ? UINT64_MAX : all;
}

}  // namespace armilla::detail
