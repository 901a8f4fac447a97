// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

/// Large pages are 2 MiB here. Where the kernel's are of another size, or it refuses, small ones stay: that only costs time.
namespace armilla::detail {

inline constexpr std::size_t large_page = std::size_t{2} << 20;

/// Shorter ranges are left alone: to ask waits for other processors, and translation buffers reach over so much in small pages.
inline constexpr std::size_t least_in_large_pages = 8 * large_page;

/// What the kernel is asked for at a time.
inline constexpr std::size_t most_asked_at_once = 16 * large_page;

/// Of private memory that is not touched yet: it is given in large pages, as far as whole ones lie in it, when it is touched.
void prefer_large_pages(void* memory, std::size_t bytes) noexcept;

using advise_function = int (*)(void*, std::size_t, int);

/// Of shared memory that the caller is about to fill: as far as whole large pages lie in it, it is given in such at once, on the
/// memory node of the calling thread. What it holds stays. Pieces whose first page is there already are left as they are. Returns
/// how many the kernel has surely given. Cost: that of clearing it, and a call for each 32 MiB. `advise` is for tests.
std::size_t take_large_pages(void* memory, std::size_t bytes, advise_function advise = ::madvise) noexcept;

}  // namespace armilla::detail
