// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Copying small values into messages.
namespace armilla::detail {

template <class Word>
Word loaded_alone(const std::byte* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
#if defined(__GNUC__)
  asm("" : "+r"(word));  // compilers would make one long load of neighbours
#endif
  return word;
}

/// A copy of a `Bytes` long value of that alignment to any place.
///
/// The caller has mostly just put the value together, member by member. A load that is longer than such a store waits until the
/// store has left the processor's buffer, some 4 ns; so a small value is read in words that are no longer than its members
/// most likely are. They are written in pieces as long as can be: each store into a ring's line counts.
template <std::size_t Bytes, std::size_t Align>
void copy_small(std::byte* to, const void* value) noexcept {
  const auto* from = static_cast<const std::byte*>(value);
  if constexpr (Align >= 8 && Bytes > 8 && Bytes <= 64) {
    for (std::size_t i = 0; i < Bytes; i += 8) {
      const auto word = loaded_alone<std::uint64_t>(from + i);
      std::memcpy(to + i, &word, 8);
    }
  } else if constexpr (Align == 4 && Bytes >= 8 && Bytes <= 32 && std::endian::native == std::endian::little) {
    std::size_t i = 0;
    for (; i + 8 <= Bytes; i += 8) {
      const std::uint64_t word = loaded_alone<std::uint32_t>(from + i) | std::uint64_t(loaded_alone<std::uint32_t>(from + i + 4))
                                                                             << 32;
      std::memcpy(to + i, &word, 8);
    }
    if constexpr (Bytes % 8 != 0) std::memcpy(to + i, from + i, 4);
  } else if constexpr (Bytes != 0) {
    std::memcpy(to, from, Bytes);
  }
}

}  // namespace armilla::detail
