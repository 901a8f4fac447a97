// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <type_traits>
#include <utility>

#include "armilla/async.hpp"
#include "armilla/rank.hpp"
#include "armilla/session/spmd_inline.hpp"

namespace armilla {

/// Under `run_main`: all ranks run `f(arguments...)` together, rank 0 as well, as under `run`. In a region each rank has code of
/// its own: it makes containers, enters fences, collectives and algorithms, and splits teams. Complete when all have returned
/// from it; then rank 0 goes on, and the others answer calls.
///
///     int main(int argc, char** argv) {
///       return am::run_main(argc, argv, [] {
///         const std::size_t n = ask_for_size();
///         am::spmd([n] { am::vector<double> x(n); fill_it(x); am::sort(x); });
///       });
///     }
///
/// What `f` captures and the arguments travel as those of `async`. A region does not fence. What it throws on a rank ends it
/// there; rank 0 throws the lowest rank's error, a remote_error unless it is its own. An error in front of
/// a collective that the others enter ends the job, as under `run`: with a usage_error of different collectives, and what was
/// thrown.
///
/// Errors: usage_error on ranks other than 0, outside `run_main`, in bodies, and in a region. Cost: a statement to each rank, and
/// a meeting.
template <class F, class... A>
  requires std::is_invocable_v<F&, std::decay_t<A>&...>
void spmd(F f, const A&... arguments) {
  static_assert(std::is_class_v<F>, "armilla: spmd takes a lambda or a function object: write [] { f(); }");
  const auto all = [f, arguments...]() mutable { f(arguments...); };
  detail::begin_region();
  for (rank_t r = 1; r < ranks(); ++r)
    async(
        r,
        [f](const std::decay_t<A>&... a) {
          auto whole = [f, a...]() mutable { f(a...); };
          detail::keep_region(std::make_unique<detail::region_of<decltype(whole)>>(whole));
        },
        arguments...);
  detail::region_of<std::remove_const_t<decltype(all)>> here(all);
  detail::run_first(here);
}

}  // namespace armilla
