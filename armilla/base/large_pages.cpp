// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/large_pages.hpp"

#include <unistd.h>

#include <cerrno>

#include "armilla/base/types.hpp"

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

namespace armilla::detail {
namespace {

/// The whole large pages in a range.
struct whole_pages {
  std::uintptr_t begin, end;

  whole_pages(void* memory, std::size_t bytes) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(memory);
    begin = align_up(at, large_page);
    end = (at + bytes) / large_page * large_page;
  }
};

bool is_there(void* page) noexcept {
  unsigned char resident = 0;
  return mincore(page, 1, &resident) != 0 || (resident & 1) != 0;
}

}  // namespace

void prefer_large_pages(void* memory, std::size_t bytes) noexcept {
  const whole_pages all(memory, bytes);
  if (all.begin < all.end) madvise(reinterpret_cast<void*>(all.begin), all.end - all.begin, MADV_HUGEPAGE);
}

std::size_t take_large_pages(void* memory, std::size_t bytes, advise_function advise) noexcept {
  if (bytes < least_in_large_pages) return 0;
  const whole_pages all(memory, bytes);
  std::size_t taken = 0;
  for (std::uintptr_t at = all.begin; at < all.end; at += large_page) {
    auto* const page = reinterpret_cast<std::byte*>(at);
    if (is_there(page)) continue;  // to move what is there costs more than small pages do
    // The kernel collapses no hole: a read gives it a small page, on the reader's node. Piece by piece: many such pages that wait
    // to be collapsed cost seconds.
    (void)*static_cast<const volatile std::byte*>(page);
    if (advise(page, large_page, MADV_COLLAPSE) == 0)
      ++taken;
    else if (errno != EAGAIN)
      break;  // a kernel before 6.1, a setting, or no large page is left: the next one would be refused, too
  }
  return taken;
}

}  // namespace armilla::detail
