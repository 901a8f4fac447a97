// SPDX-License-Identifier: Apache-2.0
#pragma once
// Inside of layer global; no public header includes it.
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "armilla/ring/heap.hpp"

namespace armilla::detail {

/// In the checked library a block that `allocate_bytes` returns ends with words that nobody writes: how many bytes were asked
/// for, and what stands behind these. So each rank of the host knows where it ends, and its owner finds at fences, and when it is
/// freed, that it was written beyond.
///
///     bytes of the user | up to 64 bytes of a pattern | ... | the tail, 16 bytes
class guarded_blocks {
 public:
  static constexpr std::uint64_t room = 16;  ///< that a block needs in addition

  /// Block `made` of `bytes` bytes is this rank's. `base`: of its segment.
  void add(const heap& from, std::byte* base, heap::block made, std::uint64_t bytes);
  /// This rank frees it. False: somebody has written beyond it.
  bool remove(const heap& from, std::byte* base, std::uint64_t offset);
  /// A block that somebody has written beyond, and how many bytes it has. Looks at 4096 blocks, and at the next ones another
  /// time.
  struct broken {
    std::uint64_t offset, bytes;
  };
  std::optional<broken> look(const heap& from, std::byte* base);

 private:
  struct block {
    std::uint64_t bytes;
    std::uint16_t generation;  // another one: another rank has freed it
  };
  std::map<std::uint64_t, block> blocks_;
  std::uint64_t next_ = 0;
};

/// How many bytes were asked for of that block, on any rank of the host; nothing if it has no guard.
std::optional<std::uint64_t> guarded_bytes(std::byte* base, heap::extent block) noexcept;
/// Before any rank of the host frees a block: the next one in its place may have no guard.
void remove_guard(std::byte* base, heap::extent block) noexcept;

}  // namespace armilla::detail
