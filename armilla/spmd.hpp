// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <type_traits>
#include <utility>

#include "armilla/async.hpp"
#include "armilla/rank.hpp"
#include "armilla/session/spmd_inline.hpp"

namespace armilla {

/// Runs `f(arguments...)` on all ranks together, in a program of `run_main`: a region. Rank 0 calls it.
///
/// Use it where one rank controls the program, and all ranks work together now and then. In a region each rank runs code of its
/// own, as under `run`: it constructs containers, calls fences, collectives and algorithms, and splits teams.
///
///     int main(int argc, char** argv) {
///       return am::run_main(argc, argv, [] {
///         const std::size_t n = ask_for_size();
///         am::spmd([n] { am::vector<double> x(n); fill_it(x); am::sort(x); });
///       });
///     }
///
/// Captures and arguments are sent as those of `async`. It returns when all ranks have returned from `f`; then the others serve
/// calls again. A region does not fence.
///
/// **Errors.** What `f` throws on a rank ends it there; rank 0 then throws the error of the lowest rank, as `remote_error` unless
/// it is its own. If a rank throws before a collective that the others enter, the job ends, as under `run`. `usage_error` on
/// ranks other than 0, outside of `run_main`, in called functions, and in a region.
///
/// **Cost.** A one-way call to each rank, and a collective.
template <class F, class... A>
  requires std::is_invocable_v<F&, std::decay_t<A>&...>
void spmd(F f, const A&... arguments);

// ---- Implementation only below ----

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
