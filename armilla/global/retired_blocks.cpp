// SPDX-License-Identifier: Apache-2.0
#include "armilla/global/retired_blocks.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "armilla/base/values/types.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t most_blocks = 1024;  // each may divide a mapping, of which a process has some 65,000

std::uint64_t page() noexcept { return std::uint64_t(sysconf(_SC_PAGESIZE)); }

}  // namespace

void retired_blocks::add(heap& from, std::byte* base, heap::extent block, const call_stack& end, std::uint64_t most) {
  std::byte* const first = base + align_up(block.offset, page());
  std::byte* const last = base + (block.offset + block.bytes) / page() * page();
  if (first >= last || std::uint64_t(last - first) > most) return from.reuse(block.offset);
  madvise(first, std::size_t(last - first), MADV_REMOVE);  // the system may have the memory meanwhile
  if (mprotect(first, std::size_t(last - first), PROT_NONE) != 0) return from.reuse(block.offset);
  blocks_.push_back({block.offset, first, last, end});
  bytes_ += std::uint64_t(last - first);
  while (blocks_.size() > most_blocks || bytes_ > most) reuse_oldest(from);
}

void retired_blocks::reuse_oldest(heap& from) {
  const block& oldest = blocks_.front();
  mprotect(oldest.first, std::size_t(oldest.last - oldest.first), PROT_READ | PROT_WRITE);
  bytes_ -= std::uint64_t(oldest.last - oldest.first);
  from.reuse(oldest.offset);
  blocks_.pop_front();
}

bool retired_blocks::reuse_all(heap& from) {
  const bool any = !blocks_.empty();
  while (!blocks_.empty()) reuse_oldest(from);
  return any;
}

const call_stack* retired_blocks::end_of(std::uintptr_t address) const noexcept {
  for (const block& each : blocks_)
    if (reinterpret_cast<std::uintptr_t>(each.first) <= address && address < reinterpret_cast<std::uintptr_t>(each.last))
      return &each.end;
  return nullptr;
}

}  // namespace armilla::detail
