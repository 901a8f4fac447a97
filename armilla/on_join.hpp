// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/base/core/required_function.hpp"
#include "armilla/run.hpp"

namespace armilla {

/// What a rank runs that comes into the running job, instead of the function that `run` was given: in the place of a lost one
/// (ARMILLA_ON_LOSS=replace), or in one kept by ARMILLA_MAX_RANKS (armilla-run --join). `f` is a function as for `run`. Call it
/// in `main` before `run`, on all ranks alike; a second call replaces the first.
///
/// A successor has the number of the lost rank, and none of its memory. A joiner has a number of its own, `ranks()` or higher.
/// All that belongs to the program is as at the start. Such a rank is called and calls. It is in no team, and takes part in no
/// collective of all ranks. When `f` returns, it answers the others until all have come to their end.
///
/// Programs of `run_main` need none: their ranks serve. usage_error if a program of `run` has none: at the start with
/// ARMILLA_ON_LOSS=replace, else in the rank that joins.
template <rank_function F>
void on_join(F f) {
  detail::require_function(f, "on_join");
  detail::set_join_function({detail::call_copy<F>, new F(std::move(f))});
}

/// Whether this rank came into the running job: as the successor of a lost one, or by armilla-run --join. A program with a
/// `session` asks this, and runs what its newcomers are to do.
bool joined();

}  // namespace armilla
