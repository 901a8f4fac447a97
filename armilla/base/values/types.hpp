// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace armilla {

/// Number of a rank, 0 .. ranks()-1 across the whole job. Signed, so that `rank() - 1` is a number that can be checked.
using rank_t = std::int32_t;

namespace detail {

inline constexpr rank_t no_rank = -1;

/// For a static_assert in a template that must not be used.
template <class...>
inline constexpr bool dependent_false = false;

/// What one core moves to another at a time.
inline constexpr std::size_t cache_line = 64;

/// `n` rounded up to a multiple of `unit`, a power of two.
constexpr std::size_t align_up(std::size_t n, std::size_t unit) noexcept { return (n + unit - 1) & ~(unit - 1); }

}  // namespace detail
}  // namespace armilla
