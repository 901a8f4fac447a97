// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "armilla/session/run.hpp"

namespace armilla {

/// What a rank runs that takes the place of one that was lost (ARMILLA_ON_LOSS=replace), instead of the function that `run` was
/// given: `f`, a function as for `run`. Call it in `main` before `run`, on all ranks alike; a second call replaces the first.
///
/// Such a rank has the number of the lost one and none of its memory: all that belongs to the program is as at the start. It is
/// called and calls, and has heard of all losses before it. It is in no team, and takes part in no collective: fences and
/// barriers of all ranks are those of the others. When `f` returns, the rank ends together with the others.
///
/// Programs of `run_main` need none: their ranks serve. usage_error at the start if a program of `run` has none in such a job.
template <rank_function F>
void on_join(F f) {
  detail::set_join_function({detail::call_copy<F>, new F(std::move(f))});
}

/// Whether this rank has taken the place of one that was lost. A program with a `session` asks this, and runs what its newcomers
/// are to do.
bool joined();

}  // namespace armilla
