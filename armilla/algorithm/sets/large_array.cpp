// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/sets/large_array.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace armilla::detail {
namespace {

constexpr std::size_t line = 64;

/// Of the lines of a small page the one that an array begins at, another for each: see heap::stagger. The first holds where the
/// memory began.
std::size_t next_offset() {
  static std::atomic<std::size_t> arrays = 0;
  return (1 + arrays.fetch_add(1, std::memory_order_relaxed) * 38 % 63) * line;
}

}  // namespace

void* allocate_large(std::size_t bytes) {
  const std::size_t alignment = bytes < large_page ? line : large_page, offset = next_offset();
  void* const memory = std::aligned_alloc(alignment, ((bytes + offset) / alignment + 1) * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  prefer_large_pages(memory, bytes + offset);
  std::byte* const array = static_cast<std::byte*>(memory) + offset;
  std::memcpy(array - sizeof memory, &memory, sizeof memory);
  return array;
}
void free_large(void* array) noexcept {
  if (array == nullptr) return;
  void* memory = nullptr;
  std::memcpy(&memory, static_cast<std::byte*>(array) - sizeof memory, sizeof memory);
  std::free(memory);
}

}  // namespace armilla::detail
