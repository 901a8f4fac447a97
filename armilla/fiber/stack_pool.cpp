// SPDX-License-Identifier: Apache-2.0
#include "armilla/fiber/stack_pool.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>

#include "armilla/base/host/valgrind.hpp"
#include "armilla/base/values/types.hpp"
#include "armilla/error.hpp"
#include "armilla/fiber/sanitizer.hpp"

namespace armilla::detail {
namespace {

#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

// Addresses cost nothing, and the frame of a function with an array of some 100 KB shall not step over it.
constexpr std::size_t guard_bytes = std::size_t{1} << 20;

std::size_t page_bytes() noexcept {
  static const auto bytes = std::size_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

void* map(std::size_t bytes, int protection) noexcept {
  return mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

// What stands in for a kernel (an emulator, a sandbox) may take any hint and do nothing: then the page can be given memory.
bool is_guard(void* page) noexcept { return madvise(page, page_bytes(), MADV_POPULATE_READ) != 0 && errno == EFAULT; }

// Guards that are marked in the page table (Linux 6.13): stacks that lie side by side are one mapping, however many there are.
void* map_with_mark(std::size_t stack_bytes) noexcept {
  void* const mapped = map(guard_bytes + stack_bytes, PROT_READ | PROT_WRITE);
  if (mapped == MAP_FAILED) return mapped;
  if (madvise(mapped, guard_bytes, MADV_GUARD_INSTALL) == 0) {
    static const bool marks_count = is_guard(mapped);
    if (marks_count) return mapped;
  }
  munmap(mapped, guard_bytes + stack_bytes);
  return MAP_FAILED;
}

// Two mappings a stack. What cannot be written counts for no limit of memory.
void* map_with_gap(std::size_t stack_bytes) noexcept {
  void* const mapped = map(guard_bytes + stack_bytes, PROT_NONE);
  if (mapped == MAP_FAILED) return mapped;
  if (mprotect(static_cast<std::byte*>(mapped) + guard_bytes, stack_bytes, PROT_READ | PROT_WRITE) == 0) return mapped;
  const int why = errno;
  munmap(mapped, guard_bytes + stack_bytes);
  errno = why;
  return MAP_FAILED;
}

[[noreturn]] void throw_no_stack(std::size_t bytes, std::uint32_t made) {
  throw_limit("spawn", "the system gives no memory for fiber " + std::to_string(made + 1) + " with a stack of " +
                           std::to_string(bytes) + " bytes (" + std::strerror(errno) +
                           "); lower ARMILLA_STACK, let fewer bodies wait at a time, or raise vm.max_map_count");
}

}  // namespace

stack_pool::stack_pool(std::size_t bytes, std::size_t most_kept) noexcept
    : bytes_(align_up(bytes, page_bytes())), most_kept_(most_kept) {}

stack_pool::~stack_pool() {
  while (fiber_record* const f = known_) {
    known_ = f->next_known;
    unmap(*f);
  }
}

// The record lies above the stack's first frame, in the page that is touched anyway.
fiber_record& stack_pool::make() {
  void* mapped = marks_ ? map_with_mark(bytes_) : MAP_FAILED;
  marks_ = mapped != MAP_FAILED;  // a kernel that refuses it once is not asked again
  if (!marks_) mapped = map_with_gap(bytes_);
  if (mapped == MAP_FAILED) throw_no_stack(bytes_, made_);
  std::byte* const lowest = static_cast<std::byte*>(mapped) + guard_bytes;
  // Neighbouring stacks would all use the same sets of the caches: each begins some lines further down.
  const std::size_t colour = (made_ % 16) * 2 * cache_line;
  std::byte* const top = lowest + bytes_ - colour - align_up(sizeof(fiber_record), cache_line);
  auto* const f = ::new (static_cast<void*>(top)) fiber_record;
  f->lowest = lowest;
  f->stack_bytes = std::size_t(top - lowest);
  f->number = ++made_;
  f->next_known = known_;
  known_ = f;
  sanitizer_made(*f);
  if (under_valgrind()) f->sanitizer_fiber = reinterpret_cast<void*>(valgrind_stack_made(lowest, f->stack_bytes));
  return *f;
}

void stack_pool::unmap(fiber_record& f) noexcept {
  sanitizer_gone(f);
  if (under_valgrind()) valgrind_stack_gone(reinterpret_cast<std::uintptr_t>(f.sanitizer_fiber));
  std::byte* const lowest = f.lowest;
  f.~fiber_record();
  munmap(lowest - guard_bytes, guard_bytes + bytes_);
}

void stack_pool::trim() noexcept {
  while (kept_ > most_kept_) {
    fiber_record* const f = free_;
    free_ = f->next;
    --kept_;
    for (fiber_record** link = &known_; *link != nullptr; link = &(*link)->next_known)
      if (*link == f) {
        *link = f->next_known;
        break;
      }
    unmap(*f);
  }
}

bool stack_pool::in_guard(const fiber_record& f, const void* address) noexcept {
  if (f.number == 0) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(address), low = reinterpret_cast<std::uintptr_t>(f.lowest);
  return at < low && at >= low - guard_bytes;
}

bool fiber_queue::remove(fiber_record& f) noexcept {
  fiber_record* before = nullptr;
  for (fiber_record* each = first_; each != nullptr; before = each, each = each->next) {
    if (each != &f) continue;
    (before == nullptr ? first_ : before->next) = f.next;
    if (last_ == &f) last_ = before;
    return true;
  }
  return false;
}

}  // namespace armilla::detail
