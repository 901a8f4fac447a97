// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "bench/harness/plan.hpp"

namespace bench {

/// The row and its baselines, done one after the other.
struct round {
  sample own;
  std::vector<sample> others;
  bool steady() const;  ///< every yardstick of the round agrees
};

/// The speed of the line between the cores: the machine has two states and flips between them. `any` asks for all.
enum class state { fast, other, any };
state state_of(double yardstick_ns);

struct spread {
  double median = 0, min = 0, max = 0;
  int runs = 0;
};
spread spread_of(std::vector<double> values);

/// What was measured of a row so far.
struct result {
  const spec* what = nullptr;
  int ranks = 0;
  std::string fabric;
  std::vector<round> rounds;    ///< steady ones
  std::vector<round> unsteady;  ///< the others, used only for a row that never is steady
  std::string problem;          ///< why there are none
  bool skipped = false;         ///< it needs what is not installed

  result(const spec* row, int ranks_in, std::string fabric_in) : what(row), ranks(ranks_in), fabric(std::move(fabric_in)) {}

  bool noisy() const { return rounds.size() < 5 && rounds.size() < unsteady.size(); }
  const std::vector<round>& usable() const { return noisy() ? unsteady : rounds; }
  state shown() const;  ///< the state that the main figures are from
  spread values(state s) const;
  spread yardsticks(state s) const;
  spread x_yardstick(state s) const;
  spread ratio(std::size_t baseline) const;  ///< pairwise, of all states
  spread difference(std::size_t baseline) const;
  anatomy parts() const;  ///< mean over the timed baseline, if there is one
  spread baseline_values(std::size_t baseline, state s) const;
  int in_state(state s) const;
};

struct sampling {
  int ranks = 2;
  std::string fabric = "shm";
  bool quick = false;
  bool any_state = false;  ///< rows judged by the raw line do not wait for the state that counts
};

/// Takes samples until the row has enough, or the tries are used up.
void take(result& into, const sampling& how, job_pool& jobs);

/// True when the row is judged by the raw line and has too few samples of the fast state.
bool wants_fast(const result& r, const sampling& how);

/// One look at the raw line.
bool line_is_fast(const result& r, job_pool& jobs);

}  // namespace bench
