// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sizes that the heap gives small blocks.
#include <array>
#include <bit>
#include <cstdint>

#include "armilla/base/values/types.hpp"
#include "armilla/ring/heap.hpp"

namespace armilla::detail {

/// Blocks of a size class lie at `first + i * size` in their chunk, behind one 16-bit generation for each.
struct size_class {
  std::uint16_t size = 0, count = 0, first = 0;
};

inline constexpr unsigned class_count = 8 + 6 * 4;  // 16, 32 .. 128, then four steps a doubling up to 8192

constexpr std::uint32_t class_bytes(unsigned c) {
  if (c < 8) return (c + 1) * 16;
  const unsigned doubling = (c - 8) / 4, step = (c - 8) % 4 + 1;
  return (128u << doubling) + step * (32u << doubling);
}

/// Every block is aligned to the largest power of two in its size: the powers of two serve any alignment up to a page.
constexpr size_class make_class(std::uint32_t size) {
  const std::uint32_t natural = size & (~size + 1);
  std::uint32_t count = heap::chunk_bytes / (size + 2);
  while (align_up(2 * count, natural) + count * size > heap::chunk_bytes) --count;
  return {std::uint16_t(size), std::uint16_t(count), std::uint16_t(align_up(2 * count, natural))};
}

inline constexpr auto classes = [] {
  std::array<size_class, class_count> all{};
  for (unsigned c = 0; c < class_count; ++c) all[c] = make_class(class_bytes(c));
  return all;
}();
static_assert(classes[class_count - 1].size == heap::small_limit);

/// The smallest class that holds `bytes`.
constexpr unsigned class_for(std::uint64_t bytes) {
  if (bytes <= 128) return bytes == 0 ? 0 : unsigned((bytes - 1) / 16);
  const unsigned doubling = unsigned(std::bit_width(bytes - 1)) - 8;  // 129..256 is doubling 0
  return 8 + doubling * 4 + unsigned((bytes - 1 - (128ull << doubling)) >> (5 + doubling));
}
static_assert(class_for(128) == 7 && class_for(129) == 8 && class_for(160) == 8 && class_for(161) == 9 && class_for(256) == 11 &&
              class_for(257) == 12 && class_for(8192) == class_count - 1);

}  // namespace armilla::detail
