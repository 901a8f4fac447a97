// SPDX-License-Identifier: Apache-2.0
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "armilla/base/core/options.hpp"
#include "armilla/base/values/limits.hpp"
#include "armilla/boot/host/launch.hpp"
#include "armilla/boot/host/membership.hpp"
#include "armilla/boot/wire_up/crash_handlers.hpp"
#include "armilla/error.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/global/rank_memory.hpp"
#include "armilla/per_rank.hpp"
#include "armilla/ring/heap.hpp"
#include "armilla/team/core/record.hpp"
#include "armilla/team/core/team_state.hpp"

namespace armilla::detail {
namespace {

/// The segment whose lower half holds `area` bytes of variables, no less room for objects, and the directory.
constexpr std::uint64_t least_for(std::uint64_t area) {
  return std::max(least_segment_bytes, 2 * (2 * area + segment_directory::bytes));
}

static_assert(least_segment_bytes == 64 * heap::chunk_bytes);

/// Undoes freeze_per_rank if the start fails.
struct frozen {
  std::uint64_t bytes = freeze_per_rank();
  bool keep = false;
  ~frozen() {
    if (!keep) release_per_rank();
  }
};

bool accesses_done(context& c, const team_record* part) {
  const rank_memory& m = memory_of(c);
  return m.unfinished[unsigned(remote_group::split)] == 0 && m.unfinished[unsigned(remote_group::stores)] == 0 &&
         (part == nullptr || !m.unconfirmed.any() || outside_of(*part, m.unconfirmed) == no_rank);
}

void ask_others(context& c, const team_record& part) { confirm_stores_outside(memory_of(c), part); }

void begin_fence(context& c) { memory_of(c).unconfirmed.begin_fence(); }

// What others have written before the fence is there.
void check_guards(rank_memory& m) {
  if (const auto broken = m.guarded.look(m.local, m.host.segment_start(m.self.rank)))
    throw_usage("fence",
                fmt::format("the memory behind the block of {} bytes at segment + {:#x} of this rank was written: an index "
                            "or a pointer went beyond its end; allocate more, or find the access",
                            broken->bytes, broken->offset));
}

void end_fence(context& c, const team_record& t) {
  if constexpr (checked) check_guards(memory_of(c));
  if (memory_of(c).unconfirmed.any()) memory_of(c).unconfirmed.end_fence(t);
}

const call_stack* end_of_memory_at(std::uintptr_t address) noexcept {
  return current == nullptr || current->memory == nullptr ? nullptr : memory_of(*current).retired.end_of(address);
}

// Of a rank that is lost nothing is copied or mapped; of its successor as at the start.
void copy_again(context& self, rank_t successor) {
  if (self.memory == nullptr) return;
  if (self.settings->cross_copy) memory_of(self).cross[std::size_t(successor)] = 0;
  if (memory_of(self).mapped_far != nullptr) memory_of(self).mapped_far->ask_again(successor);
}

void leave(context& self) {
  fence_hooks& hooks = self.teams->hooks;
  hooks.accesses_done = nullptr;
  hooks.ask_others = nullptr;
  hooks.begin = nullptr;
  hooks.end = nullptr;
  self.memory = nullptr;
  self.direct_keys = self.mapped_keys = 0;
}

}  // namespace

rank_memory::rank_memory(context& c)
    : self(c),
      messages(*c.messages),
      host(*c.host),
      opened(c.settings->access == access_kind::opened),
      by_message(c.settings->access_by_message),
      directory_at(half_of_segment(c.host->layout) - segment_directory::bytes),
      symmetric_at(directory_at + segment_directory::bytes),
      cross(std::size_t(c.places), c.settings->cross_copy ? 0 : 1),
      unconfirmed(std::size_t(c.places)),
      behind_stores(std::size_t(c.places)) {
  if (host.beyond != nullptr && reaches_segments(*c.settings)) mapped_far = std::make_unique<remote_segments>(c, host);
}

void start_memory(context& self, const launch&) {
  register_remote_handlers(self);
  frozen variables;
  auto m = std::make_unique<rank_memory>(self);
  const std::uint64_t segment = self.host->layout.segment_bytes;
  const std::uint64_t area = align_up(variables.bytes, heap::chunk_bytes);
  if (segment < least_for(area))
    throw_limit("run", fmt::format("a segment of {} bytes does not hold {} bytes of per_rank variables and the rest; give "
                                   "ARMILLA_SEGMENT={}K or more",
                                   segment, variables.bytes, least_for(area) / 1024));
  m->per_rank_begin = m->directory_at - area;
  m->per_rank = self.host->segment_start(self.rank) + m->per_rank_begin;
  const auto generation = std::uint16_t(first_generation(self.out->life(self.rank)) >> 16);
  m->local = heap::create(self.host->segment_start(self.rank), 0, m->per_rank_begin, generation);
  m->symmetric = heap::create(self.host->segment_start(self.rank), m->symmetric_at, segment - m->symmetric_at, generation);
  m->directory(self.rank).per_rank_begin = m->per_rank_begin;
  // Ranks are children of one supervisor; where the kernel lets only a parent copy, it lets the parent's other children too.
  if (!self.host->threads) prctl(PR_SET_PTRACER, getppid(), 0, 0, 0);
  const auto [first, end] = direct_ranks(self.host->segment.get(), self.places, self.rank);
  self.direct_from = global_address::segment_bits + (std::uint64_t(std::uint32_t(first)) << 16);
  self.mapped_keys = std::uint64_t(std::uint32_t(end - first)) << 16;
  count_each_access(self);
  self.first_segment = self.host->segment_start(first);
  self.segment_stride = segment;
  self.memory = m.get();
  outbox_of(self).use_heap(m->local, 0);
  if constexpr (checked) explain_faults(end_of_memory_at);
  self.messages->lost.tell(fail_pieces);
  self.messages->lost.tell_of_return(copy_again);
  self.messages->lost.tell_when_accepted(forget_lost_pieces);
  fence_hooks& hooks = self.teams->hooks;
  hooks.accesses_done = accesses_done;
  hooks.ask_others = ask_others;
  hooks.begin = begin_fence;
  hooks.end = end_fence;
  try {
    construct_per_rank(m->per_rank);
  } catch (...) {
    leave(self);
    throw;
  }
  variables.keep = true;
  m.release();
}

void stop_memory(context& self) {
  rank_memory* const m = &memory_of(self);
  destroy_per_rank(m->per_rank);
  m->retired.reuse_all(m->local);
  release_per_rank();
  leave(self);
  delete m;
}

}  // namespace armilla::detail
