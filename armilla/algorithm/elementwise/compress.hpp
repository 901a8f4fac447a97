// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace armilla::detail {

/// Elements that vector instructions move by their bits.
template <class T>
concept compressible = std::is_trivially_copyable_v<T> && (sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8);

template <std::size_t Size>
using moved_word = std::conditional_t<Size == 2, std::uint16_t, std::conditional_t<Size == 4, std::uint32_t, std::uint64_t>>;

/// Copies those of from[0, n) whose bit in `bits` is set to `to`, one behind the other. There are `kept` of them, and no element
/// behind them is written. Budget: by vector instructions of the processor that runs it. Instantiated for the words above.
template <class Word>
void compress(const Word* from, std::size_t n, const std::uint64_t* bits, Word* to, std::size_t kept) noexcept;

}  // namespace armilla::detail
