// SPDX-License-Identifier: Apache-2.0
#include "armilla/phase.hpp"

#include <algorithm>

#include "armilla/stats/rank_stats.hpp"

namespace armilla {

using detail::open_phase;
using detail::rank_stats;
using detail::trace_kind;

phase::phase(const char* name) {
  detail::context& self = detail::here("phase");
  rank_stats& s = detail::stats_of(self);
  if (!s.watched()) [[likely]]
    return;
  if (s.events) s.events->phase(trace_kind::begin_phase, name);
  auto at = std::ranges::find(s.phases, name, [](const open_phase& p) -> std::string_view { return p.sum.name; });
  if (at == s.phases.end()) at = s.phases.insert(at, open_phase{{name, 0, {}}, {}, 0});
  if (at->depth++ == 0) at->began = detail::snapshot(self);
  place_ = std::uint32_t(at - s.phases.begin());
}

phase::~phase() {
  if (place_ == none || detail::current == nullptr) [[likely]]
    return;
  rank_stats& s = detail::stats_of(*detail::current);
  open_phase& p = s.phases[place_];
  if (s.events) s.events->phase(trace_kind::end_phase, p.sum.name.c_str());
  if (--p.depth != 0) return;
  p.sum.what += detail::snapshot(*detail::current) - p.began;
  ++p.sum.times;
}

std::vector<phase_statistics> phases() {
  std::vector<phase_statistics> found;
  for (const open_phase& p : detail::stats_of(detail::here("phases")).phases)
    if (p.sum.times != 0) found.push_back(p.sum);
  return found;
}

}  // namespace armilla
