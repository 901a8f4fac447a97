// SPDX-License-Identifier: Apache-2.0
#include "armilla/fiber/stack_pool.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <utility>

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

constexpr std::size_t large_guard = std::size_t{1} << 20, small_guard = std::size_t{1} << 16;
constexpr std::size_t stacks_with_large_guard = 1024;
constexpr std::size_t first_slab = 8, largest_slab = 512;

std::size_t page_bytes() noexcept {
  static const auto bytes = std::size_t(sysconf(_SC_PAGESIZE));
  return bytes;
}

// What stands in for a kernel (an emulator, a sandbox) may take any hint and do nothing: then the page can be given memory.
bool is_guard(void* page) noexcept { return madvise(page, page_bytes(), MADV_POPULATE_READ) != 0 && errno == EFAULT; }

// Guards that are marked in the page table (Linux 6.13): stacks that lie side by side are one mapping, however many there are.
bool mark(std::byte* at, std::size_t bytes) noexcept {
  if (madvise(at, bytes, MADV_GUARD_INSTALL) != 0) return false;
  static const bool marks_count = is_guard(at);
  return marks_count;
}

// Guards that are mappings of their own, of which the kernel allows a process a number: half of it is left to everything else.
std::atomic<long>& mappings_left() noexcept {
  static std::atomic<long> left = [] {
    long most = 65530;
    if (std::FILE* const file = std::fopen("/proc/sys/vm/max_map_count", "re")) {
      if (std::fscanf(file, "%ld", &most) != 1) most = 65530;
      std::fclose(file);
    }
    return most / 2;
  }();
  return left;
}

bool map_apart(std::byte* at, std::size_t bytes) noexcept {
  if (mappings_left().fetch_sub(2, std::memory_order_relaxed) >= 2 && mprotect(at, bytes, PROT_NONE) == 0) return true;
  mappings_left().fetch_add(2, std::memory_order_relaxed);
  return false;
}

[[noreturn]] void throw_no_stack(std::size_t bytes, std::uint32_t made) {
  throw_limit("spawn", "the system gives no memory for fiber " + std::to_string(made + 1) + " with a stack of " +
                           std::to_string(bytes) + " bytes (" + std::strerror(errno) +
                           "); lower ARMILLA_STACK, or let fewer fibers and called functions wait at a time");
}

}  // namespace

stack_pool::stack_pool(std::size_t bytes, std::size_t most_kept, guards wish) noexcept
    : bytes_(align_up(bytes, page_bytes())), most_kept_(most_kept), limit_(most_kept), marks_(wish == guards::marked) {}

stack_pool::~stack_pool() {
  while (fiber_record* const f = known_) {
    known_ = f->next_known;
    release(*f);
  }
  for (const slab& s : slabs_) munmap(s.begin, s.bytes);
  if (mappings_ != 0) mappings_left().fetch_add(mappings_, std::memory_order_relaxed);
}

// Addresses cost nothing, page tables do: slabs grow with the pool. Where addresses are limited, one stack may still fit.
void stack_pool::add_slab() {
  const std::size_t guard_bytes = stacks_ < stacks_with_large_guard ? large_guard : small_guard, each = guard_bytes + bytes_;
  std::size_t n = std::clamp(stacks_ / 2, first_slab, largest_slab);
  slabs_.reserve(slabs_.size() + 1);
  bare_.reserve(stacks_ + n);
  void* mapped = MAP_FAILED;
  for (;; n = 1) {
    mapped = mmap(nullptr, n * each, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped != MAP_FAILED || n == 1) break;
  }
  if (mapped == MAP_FAILED) throw_no_stack(bytes_, made_);
  auto* const begin = static_cast<std::byte*>(mapped);
  madvise(begin, n * each, MADV_NOHUGEPAGE);  // a huge page would give each stack 2 MiB at its first use
  slabs_.push_back({begin, n * each});
  stacks_ += n;
  for (std::size_t i = n; i-- != 0;) bare_.push_back({begin + i * each + guard_bytes, std::uint32_t(guard_bytes), false, false});
}

void stack_pool::guard(bare_stack& s) noexcept {
  std::byte* const at = s.lowest - s.guard_bytes;
  s.prepared = true;
  marks_ = marks_ && mark(at, s.guard_bytes);  // a kernel that refuses it once is not asked again
  s.guarded = marks_;
  if (marks_ || !map_apart(at, s.guard_bytes)) return;
  s.guarded = true;
  mappings_ += 2;
}

// The record lies above the stack's first frame, in the page that is touched anyway.
fiber_record& stack_pool::make() {
  if (bare_.empty()) add_slab();
  bare_stack s = bare_.back();
  bare_.pop_back();
  if (!s.prepared) guard(s);
  // Neighboring stacks would all use the same sets of the caches: each begins some lines further down.
  const std::size_t color = (made_ % 16) * 2 * cache_line;
  std::byte* const top = s.lowest + bytes_ - color - align_up(sizeof(fiber_record), cache_line);
  auto* const f = ::new (static_cast<void*>(top)) fiber_record;
  f->lowest = s.lowest;
  f->stack_bytes = std::size_t(top - s.lowest);
  f->guard_bytes = s.guard_bytes;
  f->guarded = s.guarded;
  f->number = ++made_;
  f->next_known = known_;
  known_ = f;
  limit_ = std::max(most_kept_, (stacks_ - bare_.size()) / 2);
  sanitizer_made(*f);
  if (under_valgrind()) f->sanitizer_fiber = reinterpret_cast<void*>(valgrind_stack_made(s.lowest, f->stack_bytes));
  return *f;
}

// The kernel takes the memory when it needs some.
void stack_pool::release(fiber_record& f) noexcept {
  sanitizer_gone(f);
  if (under_valgrind()) valgrind_stack_gone(reinterpret_cast<std::uintptr_t>(f.sanitizer_fiber));
  const bare_stack s{f.lowest, f.guard_bytes, true, f.guarded};
  f.~fiber_record();
  madvise(s.lowest, bytes_, MADV_FREE);
  bare_.push_back(s);  // add_slab has reserved its place
}

// The stacks that were given back first are those that were idle longest: they stand at the end of the list.
void stack_pool::trim(std::uint64_t taken) noexcept {
  if (taken != last_taken_ + 1) idle_ = 0;  // meanwhile there were not too many
  last_taken_ = taken;
  if (++idle_ < 4 * kept_) return;
  idle_ = 0;
  fiber_record** end = &free_;
  for (std::size_t i = 0; i != limit_; ++i) end = &(*end)->next;
  for (fiber_record* f = std::exchange(*end, nullptr); f != nullptr; f = f->next) f->released = true;
  for (fiber_record** link = &known_; *link != nullptr;) {
    fiber_record& f = **link;
    if (!f.released) {
      link = &f.next_known;
      continue;
    }
    *link = f.next_known;
    release(f);
  }
  kept_ = limit_;
  limit_ = std::max(most_kept_, (stacks_ - bare_.size()) / 2);
}

bool stack_pool::in_guard(const fiber_record& f, const void* address) noexcept {
  if (f.number == 0 || !f.guarded) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(address), low = reinterpret_cast<std::uintptr_t>(f.lowest);
  return at < low && at >= low - f.guard_bytes;
}

bool stack_pool::overflowed(const fiber_record& f) noexcept {
  unsigned char in_memory[large_guard / 4096] = {};  // by page
  if (mincore(f.lowest - f.guard_bytes, f.guard_bytes, in_memory) != 0) return false;
  return std::ranges::any_of(in_memory, [](unsigned char page) { return (page & 1) != 0; });
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
