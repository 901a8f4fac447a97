// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace armilla::detail {

/// What one line from rank `source` to end `to` counts for in a sum over many pairs: a hash of the two, the same on all ranks.
/// Two such sums are equal where each pair's lines are. Where these differ, equal sums are a chance of one in 2^64, or in
/// 2^(64 - k) if all differ by multiples of 2^k.
/// `to`: a rank; and the number of all ranks for its progress thread; and twice that for what goes to it by way of others.
constexpr std::uint64_t pair_weight(std::uint32_t source, std::uint32_t to) noexcept {
  std::uint64_t x = (std::uint64_t{source} << 32 | to) + 0x9e3779b97f4a7c15u;  // splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace armilla::detail
