// SPDX-License-Identifier: Apache-2.0
#include "armilla/memory.hpp"

#include <fmt/format.h>

#include "armilla/base/core/options.hpp"
#include "armilla/base/host/large_pages.hpp"
#include "armilla/base/host/memory_left.hpp"
#include "armilla/base/values/limits.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/global/image_data.hpp"
#include "armilla/global/rank_memory.hpp"
#include "armilla/global/remote_memory.hpp"
#include "armilla/global/retire.hpp"
#include "armilla/ring/heap.hpp"

namespace armilla::detail {

global_address allocate_bytes(std::uint64_t bytes, std::uint64_t alignment, const char* operation) {
  rank_memory& m = memory_here(operation);
  current->out->require_own_thread(operation);
  const std::uint64_t needed = checked ? bytes + guarded_blocks::room : bytes;
  heap::block block = m.local.allocate(needed, alignment);
  if (checked && block.offset == heap::none && m.retired.reuse_all(m.local)) block = m.local.allocate(needed, alignment);
  if (block.offset == heap::none) {
    const heap::usage u = m.local.used();
    throw_limit(operation,
                fmt::format("{} bytes do not fit into the segment, which holds {} of at most {} bytes: {}{}", bytes, u.bytes,
                            u.reserved, bytes > u.reserved ? "" : "deallocate, or ", remedy_for_segment(bytes)));
  }
  if constexpr (checked) m.guarded.add(m.local, m.host.segment_start(m.self.rank), block, bytes);
  return global_address::make(memory_kind::segment, m.self.rank, block.offset, block.generation);
}

void before_filling(void* begin, std::uint64_t bytes) noexcept {
  if (bytes >= least_in_large_pages && current->settings->large_pages) take_large_pages(begin, bytes);
}

void throw_too_many(std::uint64_t n, std::uint64_t element) {
  throw_limit("allocate", fmt::format("{} objects of {} bytes are more than an address space holds{}; ask for fewer", n, element,
                                      looks_negative(n) ? " (is the number negative?)" : ""));
}

namespace {

// In the checked library, before the block is given back.
void check_guard(rank_memory& m, global_address at, const char* operation) {
  if (m.host.far[std::size_t(at.rank())] || !m.in_heap(at.rank(), at.offset)) return;
  std::byte* const base = m.host.segment_start(at.rank());
  const heap there = m.heap_at(at.rank(), at.offset);
  if (there.generation_at(at.offset) != at.generation()) return;
  const heap::extent block = there.extent_of(at.offset);
  if (block.offset != at.offset) return;
  if (at.rank() != m.self.rank || current != &m.self) return remove_guard(base, block);
  if (!m.guarded.remove(m.local, base, at.offset))
    throw_usage(operation,
                fmt::format("the memory behind this block ({}) was written: an index or a pointer went beyond its end; "
                            "allocate more, or find the access",
                            text_of(at)));
}

heap::status give_back(rank_memory& m, global_address at, const char* operation) {
  const bool mine = at.rank() == m.self.rank;
  if (!mine && m.host.far[std::size_t(at.rank())]) {
    const remote_status s = remote_deallocate(m, at, operation);
    if (s == remote_status::lost) throw_far(operation, s, at);
    return s == remote_status::ok ? heap::status::live : s == remote_status::freed ? heap::status::freed : heap::status::foreign;
  }
  if (at.offset >= m.directory(at.rank()).per_rank_begin) return heap::status::foreign;
  return mine && current == &m.self ? m.local.deallocate(at.offset, at.generation())
                                    : m.heap_at(at.rank(), at.offset).remote_free(at.offset, at.generation());
}

void require_freed(heap::status status, global_address at, const char* operation) {
  if (status == heap::status::live) return;
  if (status == heap::status::freed) throw_usage(operation, fmt::format("the memory ({}) was given back already", text_of(at)));
  throw_usage(operation,
              fmt::format("no block that allocate returned begins there ({}); keep the pointer that it returned", text_of(at)));
}

}  // namespace

void deallocate_bytes(global_address at, const char* operation) {
  rank_memory& m = memory_here(operation);
  if (at.kind() != memory_kind::segment)
    throw_usage(operation,
                fmt::format("the pointer ({}) does not point into a segment; only what allocate returned can be given back",
                            text_of(at)));
  require_rank(operation, at.rank(), m.self.places);
  const bool mine = at.rank() == m.self.rank;
  if (!mine && m.opened)
    throw_usage(operation,
                fmt::format("the memory ({}) belongs to another rank, and ARMILLA_ACCESS=opened; let its owner deallocate it",
                            text_of(at)));
  if constexpr (checked) check_guard(m, at, operation);
  require_freed(give_back(m, at, operation), at, operation);
}

void retire_bytes(global_address at, const call_stack& end, const char* operation) {
  rank_memory& m = memory_here(operation);
  if (!checked || current != &m.self || at.rank() != m.self.rank) return deallocate_bytes(at, operation);
  check_guard(m, at, operation);
  const heap::extent block = m.local.extent_of(at.offset);
  require_freed(m.local.retire(at.offset, at.generation()), at, operation);
  m.retired.add(m.local, m.host.segment_start(m.self.rank), block, end, m.per_rank_begin / 8);
}

global_address address_of(const void* p) {
  const rank_memory& m = memory_here("to_global");
  if (p == nullptr) return {};
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  const auto segments = reinterpret_cast<std::uintptr_t>(m.host.base + m.host.layout.segment({}));
  const std::uint64_t size = m.host.layout.segment_bytes;
  if (address < segments || address - segments >= size * m.host.layout.locals)
    return global_address::make(memory_kind::process, m.self.rank, address);
  const rank_t owner = m.host.locals().at(local_rank((address - segments) / size));
  const std::uint64_t offset = (address - segments) % size;
  const std::uint16_t generation = m.in_heap(owner, offset) ? m.heap_at(owner, offset).generation_at(offset) : std::uint16_t{0};
  return global_address::make(memory_kind::segment, owner, offset, generation);
}

global_address address_for_others(const void* p) {
  const global_address at = address_of(p);
  if (at.kind() != memory_kind::process || !memory_here("to_global").host.threads) [[likely]]
    return at;
  if (const auto image = image_whose_data_holds(p))
    throw_usage("to_global", fmt::format("the object at {} is a static variable of {}, and where ranks are threads "
                                         "(ARMILLA_FABRIC=threads) that is one object for all of them; make it an "
                                         "armilla::per_rank<T>, of which each rank has its own",
                                         p, *image));
  return at;
}

}  // namespace armilla::detail
