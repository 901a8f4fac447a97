// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/base/core/required_function.hpp"
#include "armilla/run.hpp"

namespace armilla {

/// Sets the function that a rank runs when it joins the running job, instead of the function of `run`.
///
/// Such a rank is a replacement of a lost one (ARMILLA_ON_LOSS=replace), or joins in a slot that ARMILLA_MAX_RANKS reserves
/// (armilla-run --join). Call it in `main` before `run`, on all ranks alike; a second call replaces the first. `f` is a function
/// as for `run`.
///
/// A replacement has the number of the lost rank, and none of its memory. A rank that joins has a number of its own, `ranks()` or
/// higher. All variables of the program are as at the start. Such a rank calls and is called. It is in no team, and takes part in
/// no collective of all ranks; `await_team` and `team::grow` change that. When `f` returns, it serves the others until all have
/// ended.
///
/// Programs of `run_main` need none: their ranks serve. Throws `usage_error` if a program of `run` has none: at the start with
/// ARMILLA_ON_LOSS=replace, otherwise on the rank that joins.
template <rank_function F>
void on_join(F f) {
  detail::require_function(f, "on_join");
  detail::set_join_function({detail::call_copy<F>, new F(std::move(f))});
}

/// Returns whether this rank came into the running job, as a replacement or by armilla-run --join. A program with a `session`
/// asks this, and runs what its new ranks are to do.
bool joined();

}  // namespace armilla
