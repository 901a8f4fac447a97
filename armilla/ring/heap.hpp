// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

namespace armilla::detail {

/// Allocator of one rank's segment, over bytes that the caller supplies.
///
///     header | one chunk_info for each chunk | chunks of 64 KiB ...
///
/// A chunk holds blocks of one size class, or belongs to a run of chunks that is one large block. All metadata lies in the
/// memory itself and is named by offsets, so any rank that maps it can tell whether a pointer is alive, and give a block back.
/// Memory is touched only as far as it was used once: a huge reserved range costs nothing.
///
/// Threads that may call: `allocate`, `deallocate`, `retire`, `reuse` and `create` only the owner's own thread; `remote_free`,
/// `check`, `generation_at` any thread of any rank. Every block carries a generation, non-zero while it lives, so that a freed
/// pointer can be told from a live one.
class heap {
 public:
  static constexpr std::size_t chunk_bytes = 64 * 1024;
  static constexpr std::size_t small_limit = 8 * 1024;  ///< larger blocks are runs of chunks
  static constexpr std::size_t min_alignment = 16;
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  /// An allocated block: its offset from `base`, `none` if nothing fits.
  struct block {
    std::uint64_t offset = none;
    std::uint16_t generation = 0;
  };

  /// What a pointer into the heap is.
  enum class status {
    live,     ///< inside (check) or at the start of (deallocate) a block in use
    freed,    ///< its block was given back, or is another one by now
    foreign,  ///< no block begins there
    outside,  ///< beyond the end of the block, or of the heap
  };

  struct usage {
    std::uint64_t blocks = 0;    ///< in use; what other ranks freed counts until it is collected
    std::uint64_t bytes = 0;     ///< in use, rounded as allocated
    std::uint64_t touched = 0;   ///< the most that was ever in use, metadata included
    std::uint64_t reserved = 0;  ///< what it may grow to
  };

  heap() = default;

  /// Formats bytes [first, first + bytes) of `base`, which begin at a page and hold zeros. Offsets count from `base`. Generations
  /// count from `generation`, so that pointers into a heap that was there before are old.
  static heap create(std::byte* base, std::uint64_t first, std::uint64_t bytes, std::uint16_t generation = 0);
  /// The heap that `create` put there, as another rank sees it.
  static heap attach(std::byte* base, std::uint64_t first) { return heap{base + first, first}; }

  /// At least `bytes` (also 0) at a multiple of `alignment`, a power of two. Cost: some 10 ns up to `small_limit`.
  block allocate(std::uint64_t bytes, std::uint64_t alignment = min_alignment);

  /// Gives a block back; nothing happens unless the answer is `live`. A `generation` of 0 matches any.
  status deallocate(std::uint64_t offset, std::uint16_t generation = 0);

  /// `deallocate` in two steps: what `retire` marks as freed is not given out again before `reuse`, which gets the block's
  /// offset.
  status retire(std::uint64_t offset, std::uint16_t generation = 0);
  void reuse(std::uint64_t offset);

  /// `deallocate` from another rank, or another thread of the owner: the block joins a list in shared memory that the owner
  /// collects when it next allocates. Of several that try, one succeeds.
  status remote_free(std::uint64_t offset, std::uint16_t generation = 0);

  /// Whether `bytes` at `offset` (anywhere in a block) may be accessed by a pointer of this generation (0: any).
  status check(std::uint64_t offset, std::uint64_t bytes, std::uint16_t generation) const;

  /// The block around `offset`, as it was rounded up; `none` where none lives.
  struct extent {
    std::uint64_t offset = none;
    std::uint64_t bytes = 0;
  };
  extent extent_of(std::uint64_t offset) const;

  /// Generation of the block around `offset`; 0 where none lives.
  std::uint16_t generation_at(std::uint64_t offset) const;

  usage used() const;
  bool is_valid() const;  ///< walks everything; for tests

 private:
  struct chunk_info;
  struct header;
  struct place;

  heap(std::byte* area, std::uint64_t first) : area_(area), first_(first) {}

  header& head() const { return *reinterpret_cast<header*>(area_); }
  chunk_info& info(std::uint32_t chunk) const;
  std::byte* chunk_at(std::uint32_t chunk) const { return area_ + std::uint64_t{chunk} * chunk_bytes; }
  bool locate(std::uint64_t offset, place& found) const;
  status examine(std::uint64_t offset, std::uint16_t generation, place& found) const;
  status mark_freed(std::uint64_t offset, std::uint16_t generation, place& found) const;

  std::uint16_t next_generation() const;
  block allocate_small(unsigned size_class);
  std::uint64_t stagger(std::uint64_t bytes, std::uint64_t alignment) const;
  block allocate_large(std::uint64_t bytes, std::uint64_t alignment);
  block allocate_large_at(std::uint64_t offset, std::uint64_t bytes, std::uint64_t alignment);
  void release(const place& where);
  void collect();
  std::uint32_t take_run(std::uint32_t length);
  void give_run(std::uint32_t first, std::uint32_t length);
  void link(std::uint32_t& list, std::uint32_t chunk);
  void unlink(std::uint32_t& list, std::uint32_t chunk);

  std::byte* area_ = nullptr;
  std::uint64_t first_ = 0;
};

}  // namespace armilla::detail
