// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace armilla::detail {

/// Memory of the sender that the receiver can read where it is: the elements of a long view that lie in it need not travel,
/// their place does. Empty unless a caller knows better (the message layer does for two-way calls between ranks of a host: the
/// sender keeps the elements until the reply is there).
struct shared_range {
  const std::byte* base = nullptr;
  std::size_t bytes = 0;
  std::size_t least = ~std::size_t(0);  ///< shorter views are cheaper to copy

  bool holds(const void* data, std::size_t n) const noexcept {
    if (n < least) [[likely]]
      return false;
    const std::size_t offset = std::size_t(static_cast<const std::byte*>(data) - base);  // huge if in front of it
    return offset <= bytes && n <= bytes - offset;
  }
};

/// Set in the count of a view whose elements stay with the sender; their offset follows.
inline constexpr std::uint64_t stable_view_bit = std::uint64_t(1) << 63;

}  // namespace armilla::detail
