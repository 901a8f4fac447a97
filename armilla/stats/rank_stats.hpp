// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "armilla/base/core/context.hpp"
#include "armilla/phase.hpp"
#include "armilla/stats/buffer_times.hpp"
#include "armilla/stats/counters.hpp"
#include "armilla/stats/method_counts.hpp"
#include "armilla/stats/progress_line.hpp"
#include "armilla/stats/request.hpp"
#include "armilla/stats/stopwatch.hpp"
#include "armilla/stats/trace.hpp"

namespace armilla::detail {

struct open_phase {
  phase_statistics sum;
  statistics began;
  std::uint32_t depth = 0;  ///< of phases with this name that are open
};

/// What layer stats keeps for a rank beside its counters, to which `context::count` points.
struct rank_stats {
  counters own;  ///< of a rank that was given no place for them
  stats_request asked;
  std::uint64_t began_ns = 0;
  std::unique_ptr<stopwatch> watch;         ///< null without `timing`
  double seconds_per_lock = 0;              ///< measured at the start, with `timing`
  std::unique_ptr<trace> events;            ///< null without ARMILLA_TRACE
  std::unique_ptr<method_counts> methods;   ///< null unless anything was asked for
  std::unique_ptr<buffer_times> buffered;   ///< null unless anything was asked for
  std::unique_ptr<progress_line> progress;  ///< null unless this rank tells of its algorithms
  const std::string& (*method_name)(std::uint32_t method) = nullptr;
  std::vector<open_phase> phases;

  /// Whether it is to be known what the rank does, beyond its counters.
  bool watched() const noexcept { return asked.any() || events != nullptr; }

  /// Layer am says what methods there are. Null if they are not counted.
  method_counts* count_methods(std::vector<std::uint32_t> (*message_sizes)(), const std::string& (*name)(std::uint32_t));
};

inline rank_stats& stats_of(context& self) noexcept { return *self.stats; }

/// Time begins: everything before was the start of the job.
void begin_stats(context& self);

/// What this rank did up to now.
statistics snapshot(context& self);

}  // namespace armilla::detail
