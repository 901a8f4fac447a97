// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of the library; no public header includes it.
#include <cstddef>
#include <cstdint>
#include <deque>

#include "armilla/base/core/call_stack.hpp"
#include "armilla/ring/heap.hpp"

namespace armilla::detail {

/// In the checked library: memory of containers that have ended, or whose elements have moved. Its owner may not access the pages
/// for a while, so a span that the program kept ends the rank where it is used, instead of reading what another container has
/// there by then. Other ranks are not affected.
class retired_blocks {
 public:
  /// The block of `from`, which has retired it. `end`: where the container ended. `most`: of bytes that are retired at a time;
  /// beyond it the oldest blocks are given out again.
  void add(heap& from, std::byte* base, heap::extent block, const call_stack& end, std::uint64_t most);
  /// All blocks may be given out again. False: there were none.
  bool reuse_all(heap& from);
  /// Where the container ended whose memory was at that address; null if no block is retired there. Async-signal-safe.
  const call_stack* end_of(std::uintptr_t address) const noexcept;

 private:
  struct block {
    std::uint64_t offset;
    std::byte *first, *last;  // whole pages
    call_stack end;
  };
  void reuse_oldest(heap& from);

  std::deque<block> blocks_;
  std::uint64_t bytes_ = 0;
};

/// Containers' blocks consist of whole pages.
inline constexpr std::uint64_t retired_alignment = 4096;

}  // namespace armilla::detail
