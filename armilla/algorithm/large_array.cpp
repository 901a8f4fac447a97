// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/large_array.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace armilla::detail {
namespace {

constexpr std::size_t large_page = std::size_t(2) << 20;

}  // namespace

void* allocate_large(std::size_t bytes) {
  const std::size_t alignment = bytes < large_page ? 64 : large_page;
  void* const memory = std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  prefer_large_pages(memory, bytes);
  return memory;
}
void free_large(void* memory) noexcept { std::free(memory); }

void prefer_large_pages(void* memory, std::size_t bytes) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t begin = (at + large_page - 1) / large_page * large_page, end = (at + bytes) / large_page * large_page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);  // a refusal costs time, no more
}

}  // namespace armilla::detail
