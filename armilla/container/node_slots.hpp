// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstring>

/// What is in a node of an ordered_table: how it moves, and how it is searched.
namespace armilla::detail {

/// Elements of a node, side by side. `Slots`: how one of them moves.
template <class Slots, bool AsBytes>
struct node_slots {
  using type = typename Slots::type;
  static void move(type* to, type* from, std::size_t n) noexcept {
    if constexpr (AsBytes)
      std::memmove(static_cast<void*>(to), static_cast<const void*>(from), n * sizeof(type));
    else if (to < from)
      for (std::size_t k = 0; k < n; ++k) Slots::relocate(to + k, from[k]);
    else
      for (std::size_t k = n; k-- > 0;) Slots::relocate(to + k, from[k]);
  }
};

/// How many of the first `n` stand before: those for which `before` holds, which come first. No branch depends on a key.
template <class Before>
std::size_t slots_before(std::size_t n, Before before) {
  std::size_t first = 0;
  while (n > 0) {
    const std::size_t half = (n + 1) / 2;
    first += before(first + half - 1) ? half : 0;
    n -= half;
  }
  return first;
}

}  // namespace armilla::detail
