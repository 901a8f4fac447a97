// SPDX-License-Identifier: Apache-2.0
#include "armilla/team/explain.hpp"

#include <string_view>

#include <fmt/format.h>

#include "armilla/stats/counters.hpp"
#include "armilla/team/record.hpp"

namespace armilla::detail {
namespace {

bool lies_in(const void* on, const void* begin, std::size_t bytes) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(on), first = reinterpret_cast<std::uintptr_t>(begin);
  return at >= first && at < first + bytes;
}

// Of all teams together; while the members compare what they are about to do, it has not been counted yet.
std::uint64_t number_of(std::string_view what, const counters& count, bool comparing) noexcept {
  const std::uint64_t n = what == "barrier" ? count.barriers : what.starts_with("fence") ? count.fences : count.collectives;
  return n + std::uint64_t(comparing);
}

}  // namespace

std::string explain_collective(const context& self, const char* what, const void* on) {
  for (const team_record* known : self.teams->teams)
    for (const team_record* t = known; t != nullptr; t = t->twin.get())
      for (std::uint32_t i = 0; i < t->size; ++i) {
        const team_slot& slot = *t->slots[i];
        if (!lies_in(on, &slot, sizeof slot)) continue;
        if (what == std::string_view(name_of(collective::end)))
          return fmt::format("the end of all ranks: rank {} has not ended its function", t->members[i]);
        const bool comparing = lies_in(on, slot.check, sizeof slot.check);
        return fmt::format("{} {}{}: rank {} has not come", what, number_of(what, *self.count, comparing),
                           t->size == std::uint32_t(self.ranks) ? "" : fmt::format(" of team {}", t->id), t->members[i]);
      }
  return {};
}

}  // namespace armilla::detail
