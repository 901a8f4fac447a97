// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/core/explain_flag.hpp"

#include <fmt/format.h>

#include "armilla/stats/counters.hpp"
#include "armilla/team/core/record.hpp"

namespace armilla::detail {
namespace {

bool lies_in(const void* on, const void* begin, std::size_t bytes) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(on), first = reinterpret_cast<std::uintptr_t>(begin);
  return at >= first && at < first + bytes;
}

// Of all teams together; while the members compare what they are about to do, it has not been counted yet.
std::uint64_t number_of(collective kind, const counters& count, bool comparing) noexcept {
  const std::uint64_t n = kind == collective::barrier ? count.barriers
                          : kind == collective::fence ? count.fences
                                                      : count.collectives;
  return n + std::uint64_t(comparing);
}

}  // namespace

std::string explain_flag(const context& self, const char* operation, const awaited_flag& waits) {
  const team_record& t = waits.team;
  const collective kind = kind_of_sign(t.sign);
  if (kind == collective::end) return fmt::format("the end of all ranks: rank {} has not ended its function", waits.owner);
  const team_slot& slot = *t.slots[std::size_t(t.number_of(waits.owner))];
  const bool comparing = lies_in(waits.flag, slot.check, sizeof slot.check);
  return fmt::format("{} {}{}: rank {} has not come", operation, number_of(kind, *self.count, comparing),
                     t.size == std::uint32_t(self.world_size) ? "" : fmt::format(" of team {}", t.id), waits.owner);
}

}  // namespace armilla::detail
