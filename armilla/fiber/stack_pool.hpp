// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "armilla/fiber/fiber_record.hpp"

namespace armilla::detail {

/// Stacks of one size for the fibers of a rank, in slabs: one mapping for many. A stack that was used before is taken and given
/// back by two stores; a new one costs a system call, for its guard.
///
/// The pool grows to the most fibers that ever were alive. It gives memory back slowly: only when more than half of its stacks
/// were idle for four times as many fibers as it has stacks.
///
/// A guard is memory below a stack that cannot be accessed: 1 MiB below the first 1,024 stacks, so that a large frame does not
/// step over it, and 64 KiB below later ones, since page tables for it would take more memory than most fibers use. Kernels
/// before 6.13 need a mapping for each guard. When half of the mappings that the kernel allows a process are used, new stacks
/// have no guard; then `overflowed` tests at the fiber's end whether the 64 KiB were used.
class stack_pool {
 public:
  enum class guards : bool { mapped, marked };  ///< marks in the page table need Linux 6.13

  /// `bytes` of each stack; the memory of at least `most_kept` idle ones is kept. Guards are marked if the kernel can do it.
  stack_pool(std::size_t bytes, std::size_t most_kept, guards wish = guards::marked) noexcept;
  ~stack_pool();
  stack_pool(const stack_pool&) = delete;
  stack_pool& operator=(const stack_pool&) = delete;

  /// A record at the top of its stack, as its last user left it. Throws limit_error when the system gives no more memory.
  fiber_record& take() {
    fiber_record* const f = free_;
    if (f == nullptr) [[unlikely]]
      return make();
    free_ = f->next;
    --kept_;
    return *f;
  }
  /// The stack may still be in use: its memory stays.
  void give_back(fiber_record& f) noexcept {
    f.next = free_;
    free_ = &f;
    ++kept_;
  }
  /// Whether enough stacks are idle for `trim`, which then decides.
  bool too_many() const noexcept { return kept_ > limit_; }
  /// Called before each `take` while there are too many. `taken`: how many were taken before.
  void trim(std::uint64_t taken) noexcept;

  /// Whether `address` lies in the guard of `f`.
  static bool in_guard(const fiber_record& f, const void* address) noexcept;
  /// Whether a fiber without a guard has used memory below its stack.
  static bool overflowed(const fiber_record& f) noexcept;

  fiber_record* known() const noexcept { return known_; }
  std::size_t stack_bytes() const noexcept { return bytes_; }

 private:
  struct slab {
    std::byte* begin;
    std::size_t bytes;
  };
  /// A stack without a record: it was never used, or its memory was given back.
  struct bare_stack {
    std::byte* lowest;
    std::uint32_t guard_bytes;
    bool prepared;  ///< its guard was installed, if there is one for it
    bool guarded;
  };

  fiber_record& make();
  void add_slab();
  void guard(bare_stack& s) noexcept;
  void release(fiber_record& f) noexcept;

  std::size_t bytes_;
  std::size_t most_kept_;
  std::size_t limit_;
  bool marks_;  ///< guards are marks in the page table, as far as is known
  std::size_t kept_ = 0;
  std::uint32_t made_ = 0;
  std::size_t stacks_ = 0;        ///< in all slabs
  long mappings_ = 0;             ///< that guards take
  std::uint64_t last_taken_ = 0;  ///< at the last `trim`
  std::uint64_t idle_ = 0;        ///< calls of `trim` since more than half were in use
  fiber_record* free_ = nullptr;
  fiber_record* known_ = nullptr;
  std::vector<slab> slabs_;
  std::vector<bare_stack> bare_;  ///< those to be used next at its end
};

}  // namespace armilla::detail
