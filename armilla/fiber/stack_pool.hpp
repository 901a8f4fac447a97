// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "armilla/fiber/fiber_record.hpp"

namespace armilla::detail {

/// Stacks of one size with a guard of 1 MiB below each, so that a large frame does not step over it; kept when their fibers have
/// ended. A pooled stack is taken and given back by two stores; a new one costs two system calls.
class stack_pool {
 public:
  /// `bytes` of each stack; at most `most_kept` idle ones are kept.
  stack_pool(std::size_t bytes, std::size_t most_kept) noexcept;
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
  /// The stack may still be in use: nothing is unmapped here.
  void give_back(fiber_record& f) noexcept {
    f.next = free_;
    free_ = &f;
    ++kept_;
  }
  /// Unmaps idle stacks beyond the number that is kept.
  void trim() noexcept;
  bool too_many() const noexcept { return kept_ > most_kept_; }

  /// Whether `address` lies in the guard of `f`.
  static bool in_guard(const fiber_record& f, const void* address) noexcept;

  fiber_record* known() const noexcept { return known_; }
  std::size_t stack_bytes() const noexcept { return bytes_; }

 private:
  fiber_record& make();
  void unmap(fiber_record& f) noexcept;

  std::size_t bytes_;
  std::size_t most_kept_;
  bool marks_ = true;  ///< guards are marks in the page table, as far as is known
  std::size_t kept_ = 0;
  std::uint32_t made_ = 0;
  fiber_record* free_ = nullptr;
  fiber_record* known_ = nullptr;
};

}  // namespace armilla::detail
