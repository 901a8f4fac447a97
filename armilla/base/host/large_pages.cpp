// SPDX-License-Identifier: Apache-2.0
#include "armilla/base/host/large_pages.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "armilla/base/values/types.hpp"

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

bool is_there(std::uintptr_t page) noexcept {
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(page), 1, &resident) != 0 || (resident & 1) != 0;
}

// The kernel collapses no hole: a read gives a small page, on the node of the thread that reads.
void touch(std::uintptr_t page) noexcept { (void)*reinterpret_cast<const volatile std::byte*>(page); }

/// Touches each of the large pages that follow one another from `begin` on and are not there. The end of them.
std::uintptr_t touch_missing(std::uintptr_t begin, std::uintptr_t end) noexcept {
  std::uintptr_t at = begin;
  for (; at < end && !is_there(at); at += large_page) touch(at);
  return at;
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
  for (std::uintptr_t at = all.begin; at < all.end;) {
    // Each call waits until all processors have put away the pages that they were given last, so it is for many.
    const std::uintptr_t end = touch_missing(at, std::min(all.end, at + most_asked_at_once));
    if (end == at) {
      at += large_page;  // to move what is there costs more than small pages do
      continue;
    }
    if (advise(reinterpret_cast<void*>(at), end - at, MADV_COLLAPSE) == 0)
      taken += (end - at) / large_page;
    else if (errno != EAGAIN)
      break;  // a kernel before 6.1, a setting, or no large page is left: the next ones would be refused, too
    at = end;
  }
  return taken;
}

}  // namespace armilla::detail
