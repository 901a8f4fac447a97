// SPDX-License-Identifier: Apache-2.0
#include "armilla/stats/start_statistics.hpp"

#include <utility>

#include "armilla/base/core/options.hpp"
#include "armilla/stats/rank_stats.hpp"

namespace armilla::detail {

void start_stats(context& self, const launch&) {
  auto s = std::make_unique<rank_stats>();
  s->asked = parse_stats(self.settings->stats);
  if (self.rank == 0 && !s->asked.file.empty()) require_writable("ARMILLA_STATS", s->asked.file);
  if (s->asked.timing) s->watch = std::make_unique<stopwatch>();
  if (const options& set = *self.settings; !set.trace.empty()) {
    if (self.rank == 0) require_writable("ARMILLA_TRACE", set.trace);
    s->events = std::make_unique<trace>(set.trace, set.trace_events, self.rank, self.places);
  }
  if (s->watched()) s->buffered = std::make_unique<buffer_times>(self.places);
  s->began_ns = now_ns();
  if (self.count == nullptr) self.count = &s->own;
  self.stats = s.release();
  start_progress(self);
}

void begin_stats(context& self) {
  rank_stats& s = stats_of(self);
  *self.count = {};
  if (s.watch) {
    static_cast<void>(ns_per_tick());  // measures the clock now, not at the first snapshot
    s.watch->restart();
  }
  if (s.events) s.events->restart();
  if (s.buffered) s.buffered->restart();
  s.began_ns = now_ns();
}

void stop_stats(context& self) {
  self.count = nullptr;
  delete std::exchange(self.stats, nullptr);
}

}  // namespace armilla::detail
