// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/stats.hpp"

namespace armilla {

/// Names what this rank does until the end of the scope, so that the report can say what happened in it:
///
///     for (int step = 0; step < steps; ++step) {
///       am::phase force("force");
///       compute_forces();
///     }
///
/// Phases of one name add up. They may lie inside each other; what happens in the inner one counts for the outer one as well,
/// so phases do not add up to the whole. A phase inside one of its own name counts once. Phases are of a rank, not collective:
/// what belongs to a phase is what this rank did between its begin and its end, bodies run for other ranks included. Statements
/// that were sent in it may arrive later; a fence before the end keeps them inside.
///
/// Cost: one test, unless ARMILLA_STATS is set; then two snapshots. Errors: usage_error outside a session.
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

/// What phases of one name did on this rank.
struct phase_statistics {
  std::string name;
  std::uint64_t times = 0;  ///< ended
  statistics what;
};

/// This rank's phases in the order of their first begin, those that have ended at least once. Empty unless ARMILLA_STATS is set.
std::vector<phase_statistics> phases();

}  // namespace armilla
