// SPDX-License-Identifier: Apache-2.0
#include "armilla/per_rank.hpp"

#include <mutex>

#include <fmt/format.h>

#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/global/rank_memory.hpp"

namespace armilla::detail {
namespace {

// The variables of this process: filled while it starts, fixed while any rank runs.
struct registry {
  std::mutex lock;
  per_rank_entry* first = nullptr;
  per_rank_entry** last = &first;
  std::uint64_t bytes = 0;
  int users = 0;  // ranks that run in this process
};

registry& variables() {
  static registry all;
  return all;
}

constexpr std::size_t most_alignment = 4096;

}  // namespace

per_rank_entry::per_rank_entry(std::size_t s, std::size_t a, void (*make)(void*), void (*end)(void*))
    : size(s), alignment(a), construct(make), destroy(end) {
  registry& all = variables();
  const std::lock_guard guard(all.lock);
  if (all.users != 0)
    throw_usage("per_rank",
                "a per_rank variable comes to life while the session runs, so other ranks cannot know it; define it at namespace "
                "scope or as a static member");
  if (alignment > most_alignment) throw_usage("per_rank", fmt::format("an alignment of {} bytes; at most a page", alignment));
  *all.last = this;
  all.last = &next;
}

per_rank_entry::~per_rank_entry() {
  registry& all = variables();
  const std::lock_guard guard(all.lock);
  for (per_rank_entry** p = &all.first; *p != nullptr; p = &(*p)->next) {
    if (*p != this) continue;
    *p = next;
    if (all.last == &next) all.last = p;
    return;
  }
}

global_address address_on(const per_rank_entry& entry, rank_t r) {
  const rank_memory& m = memory_here("per_rank::on");
  require_rank("per_rank::on", r, m.self.places);
  if (r >= m.self.world_size) require_taken(m, r, "per_rank::on");
  if (m.host.program[std::size_t(r)] != m.self.program) [[unlikely]]
    throw_usage("per_rank::on",
                fmt::format("rank {} runs another program, which has variables of its own; let it send you a pointer", r));
  return global_address::make(memory_kind::segment, r, m.per_rank_begin + entry.offset);
}

std::uint64_t freeze_per_rank() {
  registry& all = variables();
  const std::lock_guard guard(all.lock);
  if (all.users++ == 0) {
    all.bytes = 0;
    for (per_rank_entry* e = all.first; e != nullptr; e = e->next) {
      e->offset = align_up(all.bytes, e->alignment);
      all.bytes = e->offset + e->size;
    }
  }
  return all.bytes;
}

void release_per_rank() {
  registry& all = variables();
  const std::lock_guard guard(all.lock);
  --all.users;
}

void construct_per_rank(std::byte* area) {
  const registry& all = variables();  // fixed: no lock
  for (const per_rank_entry* e = all.first; e != nullptr; e = e->next) e->construct(area + e->offset);
}

void destroy_per_rank(std::byte* area) {
  const registry& all = variables();
  for (const per_rank_entry* e = all.first; e != nullptr; e = e->next) e->destroy(area + e->offset);
}

}  // namespace armilla::detail
