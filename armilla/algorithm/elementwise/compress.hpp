// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace armilla::detail {

/// Asks for the 64 elements of `size` bytes each that a walk over an array comes to after some more. Processors foresee a walk
/// within a page alone. There need be no memory.
inline void ask_ahead(const void* now, std::size_t size) noexcept {
  constexpr std::uintptr_t far = 4096, line = 64;
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(now) + far;
  for (std::size_t k = 0; k < size; ++k) __builtin_prefetch(reinterpret_cast<const void*>(first + k * line));
}

/// Elements that vector instructions move by their bits.
template <class T>
concept compressible = std::is_trivially_copyable_v<T> && (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

template <std::size_t Size>
using moved_word = std::conditional_t<Size == 2, std::uint16_t, std::conditional_t<Size == 4, std::uint32_t, std::uint64_t>>;

/// Copies those of from[0, n) whose bit in `bits` is set to `to`, one behind the other. There are `kept` of them, and no element
/// behind them is written. Budget: by vector instructions of the processor that runs it. Instantiated for the words above.
///
/// `past_caches`: whole lines go to memory, which need not be read before. That is quicker where a loop writes more than caches
/// hold.
template <class Word>
void compress(const Word* from, std::size_t n, const std::uint64_t* bits, Word* to, std::size_t kept, bool past_caches) noexcept;

}  // namespace armilla::detail
