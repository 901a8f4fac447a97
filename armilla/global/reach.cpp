// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "armilla/am/endpoint/meant_for_lost.hpp"
#include "armilla/base/core/options.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/global/offer.hpp"
#include "armilla/global/rank_memory.hpp"
#include "armilla/global/remote_memory.hpp"
#include "armilla/ring/heap.hpp"

// The rare path of an access: what is wrong, and how to get there after all.
namespace armilla::detail {

rank_memory& memory_here(const char* operation) {
  context& self = here(operation);
  if (self.memory == nullptr) throw_usage(operation, "global memory is not there yet, or no more; use it inside armilla::run");
  return memory_of(self);
}

std::string text_of(global_address at) {
  switch (at.kind()) {
    case memory_kind::null: return "null";
    case memory_kind::segment: return fmt::format("rank {}, segment + {:#x}", at.rank(), at.offset);
    case memory_kind::process: return fmt::format("rank {}, address {:#x}", at.rank(), at.offset);
    case memory_kind::lost: return fmt::format("rank {}, which was lost", at.rank());
  }
  return fmt::format("rank {}, {:#x} in memory of unknown kind {}", at.rank(), at.offset, std::uint16_t(at.kind()));
}

void throw_far(const char* operation, remote_status status, global_address at) {
  const std::string place = text_of(at);
  switch (status) {
    case remote_status::not_open:
      throw_usage(operation,
                  fmt::format("rank {0} has not opened that memory ({1}) for it, and ARMILLA_ACCESS=opened; let rank {0} call "
                              "armilla::open before",
                              at.rank(), place));
    case remote_status::freed:
      throw_usage(operation,
                  fmt::format("that memory ({}) is not the pointer's block: it was freed, or the pointer has left it", place));
    case remote_status::lost: memory_here(operation).messages.lost.raise(at.rank(), operation);
    default: throw_usage(operation, fmt::format("no memory there ({}); the pointer left the object it was made for", place));
  }
}

[[noreturn]] void throw_lost(const context& self, global_address at, const char* operation) {
  if (at.rank() == self.rank) throw meant_for_lost(self.rank, operation);  // another rank has sent it
  self.messages->lost.raise(at.rank(), operation);
}

void require_taken(const rank_memory& m, rank_t r, const char* operation) {
  if (!m.host.job().was_taken(r)) m.self.messages->lost.raise(r, operation);
}

remote_status admit(const rank_memory& m, rank_t owner, global_address at, std::uint64_t bytes, std::uint8_t rights,
                    bool open_only) {
  if (at.kind() == memory_kind::segment) {
    const std::uint64_t size = m.host.layout.segment_bytes;
    if (at.offset > size || bytes > size - at.offset) return remote_status::outside;  // nothing lies at its end, too
    if (checked && !m.host.far[std::size_t(owner)] && m.in_heap(owner, at.offset)) {
      const heap::status s = m.heap_at(owner, at.offset).check(at.offset, bytes, at.generation());
      if (s == heap::status::freed) return remote_status::freed;
      if (s != heap::status::live) return remote_status::outside;
      const heap::extent block = m.heap_at(owner, at.offset).extent_of(at.offset);
      const auto asked_for = guarded_bytes(m.host.segment_start(owner), block);
      if (asked_for && at.offset - block.offset + bytes > *asked_for) return remote_status::outside;
    }
  } else if (at.offset == 0 || at.offset + bytes < at.offset) {
    return remote_status::outside;
  }
  if (open_only && bytes != 0 && !m.host.far[std::size_t(owner)] &&
      !m.directory(owner).allows(at.kind(), at.offset, at.offset + bytes, rights))
    return remote_status::not_open;
  return remote_status::ok;
}

void check_segment(global_address at, const access_request& wants) {
  if (current->memory == nullptr) return;  // a layer below starts or stops
  const rank_memory& m = memory_of(*current);
  if (const remote_status s = admit(m, at.rank(), at, wants.bytes, wants.rights, false); s != remote_status::ok)
    throw_far(wants.operation, s, at);
}

namespace {

// As `direct`, also while each access is counted.
std::byte* mapped(const context& self, global_address at, std::uint32_t alignment) noexcept {
  const std::uint64_t key = at.where - self.direct_from;
  if (key >= self.mapped_keys || at.offset % alignment != 0) return nullptr;
  return self.first_segment + (key >> 16) * self.segment_stride + at.offset;
}

}  // namespace

void* local_far(global_address at, std::uint32_t alignment) {
  context& self = here("local");
  if (std::byte* const p = mapped(self, at, alignment)) return p;
  if (at.kind() == memory_kind::lost && at.rank() == self.rank) throw_lost(self, at, "local");
  if (at.kind() != memory_kind::process) return nullptr;
  const bool mine = at.rank() == self.rank;
  const bool threads = self.host->threads && self.settings->access == access_kind::all && !self.settings->access_by_message;
  return mine || threads ? reinterpret_cast<void*>(at.offset) : nullptr;
}

std::byte* reach(global_address at, const access_request& wants) {
  rank_memory& m = memory_here(wants.operation);
  if (at.null())
    throw_usage(wants.operation, "the pointer is null; let it point to something first (allocate, to_global, per_rank::on)");
  if (at.kind() == memory_kind::lost) throw_lost(m.self, at, wants.operation);
  if (at.kind() > memory_kind::process) throw_usage(wants.operation, fmt::format("the pointer is damaged ({})", text_of(at)));
  require_rank(wants.operation, at.rank(), m.self.places);
  if (at.rank() >= m.self.world_size) require_taken(m, at.rank(), wants.operation);
  if (wants.alignment > 1 && at.offset % wants.alignment != 0)
    throw_usage(wants.operation, fmt::format("the pointer ({}) is not aligned: objects of that type lie at multiples of {} bytes",
                                             text_of(at), wants.alignment));
  const bool mine = at.rank() == m.self.rank;
  if (const remote_status s = admit(m, at.rank(), at, wants.bytes, wants.rights, m.opened && !mine); s != remote_status::ok)
    throw_far(wants.operation, s, at);
  if (at.kind() == memory_kind::segment) {
    if (mine || !m.asks(at.rank())) return m.host.segment_start(at.rank()) + at.offset;
    return m.mapped_far != nullptr ? m.mapped_far->at(at.rank(), at.offset, wants.bytes) : nullptr;
  }
  return mine || (m.host.threads && !m.asks(at.rank())) ? reinterpret_cast<std::byte*>(at.offset) : nullptr;
}

// One object, whole: these are what the inline paths fall back to.

namespace {

template <class Word>
void copy_word(void* into, const void* from) {
  using word [[gnu::may_alias]] = Word;
  __atomic_store_n(static_cast<word*>(into), __atomic_load_n(static_cast<const word*>(from), __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
}

// In one piece where `load` and `store` would do it in one.
void copy_object(void* into, const void* from, const access_request& wants) {
  if (wants.bytes == wants.alignment && reinterpret_cast<std::uintptr_t>(into) % wants.alignment == 0 &&
      reinterpret_cast<std::uintptr_t>(from) % wants.alignment == 0) {
    switch (wants.bytes) {
      case 1: return copy_word<std::uint8_t>(into, from);
      case 2: return copy_word<std::uint16_t>(into, from);
      case 4: return copy_word<std::uint32_t>(into, from);
      case 8: return copy_word<std::uint64_t>(into, from);
      default: break;
    }
  }
  release_fence();
  std::memcpy(into, from, wants.bytes);
  acquire_fence();
}

}  // namespace

void read_far(void* into, global_address from, const access_request& wants) {
  count_call();
  if (const std::byte* p = reach(from, wants)) return copy_object(into, p, wants);
  ++current->count->reads;
  remote_transfer t(memory_of(*current), from, false, remote_group::blocking, wants.operation);
  t.add(static_cast<std::byte*>(into), 0, wants.bytes);
  t.finish();
}

void write_far(global_address to, const void* from, const access_request& wants) {
  count_call();
  if (std::byte* p = reach(to, wants)) return copy_object(p, from, wants);
  ++current->count->writes;
  rank_memory& m = memory_of(*current);
  if (wants.bytes >= copy_offer::worth_from && to.kind() == memory_kind::process)
    return write_with_owner(m, to, static_cast<const std::byte*>(from), wants.bytes, wants.operation);
  remote_transfer t(m, to, true, remote_group::blocking, wants.operation);
  t.add(static_cast<std::byte*>(const_cast<void*>(from)), 0, wants.bytes);  // only read from: the kernel's iovec has no const
  t.finish();
}

}  // namespace armilla::detail
