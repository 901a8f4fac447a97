// SPDX-License-Identifier: Apache-2.0
#include "bench/papers/common/large_pages.hpp"

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace papers {

void in_large_pages(std::span<std::byte> bytes) noexcept {
  constexpr std::uintptr_t large = std::uintptr_t(2) << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
  const std::uintptr_t first = (begin + large - 1) / large * large, last = (begin + bytes.size()) / large * large;
  if (first >= last) return;
  void* const at = reinterpret_cast<void*>(first);
  // To be asked is all that private memory needs in most settings of the system. Collapsing pages that are there works in all
  // of them and for shared memory, too, from Linux 6.1 on. What a system does not know it refuses, and no harm is done.
  (void)madvise(at, last - first, MADV_HUGEPAGE);
  (void)madvise(at, last - first, MADV_POPULATE_WRITE);
  (void)madvise(at, last - first, MADV_COLLAPSE);
}

}  // namespace papers
