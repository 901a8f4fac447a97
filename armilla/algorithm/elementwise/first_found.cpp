// SPDX-License-Identifier: Apache-2.0
#include "armilla/algorithm/elementwise/first_found.hpp"

#include <map>

#include "armilla/base/core/context.hpp"
#include "armilla/fabric/host_map.hpp"
#include "armilla/per_rank.hpp"

namespace armilla::detail {
namespace {

constexpr std::size_t long_search = 16 * first_found::between_looks;

per_rank<found_note> note_of_rank;
per_rank<std::map<std::uint64_t, std::uint64_t>> searches;  // by team; the same on all members

}  // namespace

first_found::first_found(const team& t, std::size_t extent) {
  if (extent < long_search || t.size() < 2) return;
  team_ = t.id();
  search_ = ++searches.local()[team_];
  const context& self = *current;
  for (rank_t m = 0; m < t.size(); ++m) {
    const rank_t r = t.world_rank(m);
    if (r == self.rank || self.host->program[std::size_t(r)] != self.program) continue;
    if (const found_note* const there = global_ptr<const found_note>(note_of_rank.on(r)).local()) others_.push_back(there);
  }
}

// A reader that sees the names of this search and the same index before and behind them sees what belongs together: between two
// searches stands npos.
void first_found::tell(std::size_t index) noexcept {
  if (others_.empty()) return;
  found_note& mine = note_of_rank.local();
  mine.index.store(npos, std::memory_order_release);
  mine.team.store(team_, std::memory_order_release);
  mine.search.store(search_, std::memory_order_release);
  mine.index.store(index, std::memory_order_release);
}

bool first_found::is_behind(std::size_t index) const noexcept {
  for (const found_note* const note : others_) {
    const std::uint64_t found = note->index.load(std::memory_order_acquire);
    if (found < index && note->search.load(std::memory_order_acquire) == search_ &&
        note->team.load(std::memory_order_acquire) == team_ && note->index.load(std::memory_order_acquire) == found)
      return true;
  }
  return false;
}

}  // namespace armilla::detail
