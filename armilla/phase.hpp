// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/stats.hpp"

namespace armilla {

/// A name of what this rank does until the end of the scope. The report of statistics says what happened in it.
///
///     for (int step = 0; step < steps; ++step) {
///       am::phase force("force");
///       compute_forces();
///     }
///
/// Phases of the same name are added. They may be nested; what happens in the inner one counts for the outer one as well. A phase
/// inside one of its own name counts once.
///
/// Phases are of a rank, and not collective. A phase has what this rank did between its beginning and its end, including
/// functions that it ran for other ranks. One-way calls that were sent in it may arrive later; a fence before its end keeps them
/// inside.
///
/// **Cost.** One test, unless ARMILLA_STATS is set; then two snapshots. `usage_error` outside of a session.
class phase {
 public:
  explicit phase(const char* name);
  ~phase();
  phase(const phase&) = delete;
  phase& operator=(const phase&) = delete;

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::uint32_t place_ = none;  // in the rank's list
};

/// What happened in the phases of one name on this rank.
struct phase_statistics {
  std::string name;
  std::uint64_t times = 0;  ///< how many have ended
  statistics what;
};

/// Returns this rank's phases that have ended at least once, in the order in which they first began. Empty unless ARMILLA_STATS
/// is set.
std::vector<phase_statistics> phases();

}  // namespace armilla
