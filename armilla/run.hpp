// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>

#include "armilla/session/arguments_inline.hpp"
#include "armilla/session/run_inline.hpp"

namespace armilla {

/// What a rank can run: a function without arguments that returns nothing, an int that is its exit code, or a bool: whether it
/// went well, which makes the code 0 or 1.
template <class F>
concept rank_function =
    std::is_invocable_v<F&> && (std::is_void_v<std::invoke_result_t<F&>> || std::is_convertible_v<std::invoke_result_t<F&>, int>);

/// Runs `f` on every rank of the job and returns 0, or the code with which the program shall exit: `return armilla::run(argc,
/// argv, f);`.
///
/// How many ranks, and whether as processes or threads, is said by the environment (`ARMILLA_RANKS=4`, `ARMILLA_FABRIC=threads`)
/// or by `armilla-run`. For one rank, `f` runs in this process. For more, the first process becomes the supervisor: it starts
/// this program once more for each rank, with the same arguments, and ends (as by std::exit) when they have, without coming back
/// from `run`. What stands in `main` before `run` is executed by each of these processes. With ARMILLA_FABRIC=threads the ranks
/// are threads of one process, and `main` up to `run` is executed once for all.
///
/// Complete when every rank has returned from `f` and all calls and accesses that it caused are done. A rank that throws out of
/// `f`, returns another code than 0 from it, calls std::exit, or is killed ends the job within a second, with one message that
/// names the rank, the program and the cause, and an exit code that is not 0: of the code that `f` returned the 8 bits that the
/// system keeps, and 1 where these are 0. A process can run one job.
template <rank_function F>
int run(int argc, char** argv, F f) {
  return detail::run_job(argc, argv, detail::call_copy<F>, &f, detail::who_runs::everybody);
}

/// As `run`, but only rank 0 runs `f`; the others answer calls until it has returned.
/// Paper: MPC++ (main on processor 0), MRPC section 3.
template <rank_function F>
int run_main(int argc, char** argv, F f) {
  return detail::run_job(argc, argv, detail::call_copy<F>, &f, detail::who_runs::first);
}

/// As `run` of a function without parameters, but the words of the command line are the arguments of `f`, by its types: numbers
/// and texts. `names` has a name for each, with a space between them:
///
///     int main(int argc, char** argv) {
///       return am::run(argc, argv, "FILE STEPS", [](const std::string& file, int steps) { return solve(file, steps); });
///     }
///
/// `f` returns nothing, an exit code, or a bool: whether it went well, which makes the code 0 or 1. If there are more or fewer
/// words, or one is no number of its type, rank 0 prints which and "usage: PROGRAM FILE STEPS", and the code is 2. Errors:
/// usage_error if `names` has more or fewer words than `f` has parameters.
template <detail::takes_arguments F>
int run(int argc, char** argv, const char* names, F f) {
  return run(argc, argv, detail::with_arguments(detail::argument_words(argc, argv, names), std::move(f)));
}
/// The same on rank 0 alone, as `run_main`.
template <detail::takes_arguments F>
int run_main(int argc, char** argv, const char* names, F f) {
  return run_main(argc, argv, detail::with_arguments(detail::argument_words(argc, argv, names), std::move(f)));
}

// What is easily written otherwise says how it is written.
template <class F>
  requires(!rank_function<F>)
int run(int, char**, F) {
  static_assert(
      detail::dependent_false<F>,
      "armilla: what each rank runs takes no arguments and returns nothing, an int or a bool: run(argc, argv, [&] { ... "
      "}); words of the command line: run(argc, argv, \"FILE STEPS\", f)");
  return 1;
}
template <class F>
  requires(!rank_function<F>)
int run_main(int, char**, F) {
  static_assert(detail::dependent_false<F>,
                "armilla: what rank 0 runs takes no arguments and returns nothing, an int or a bool: run_main(argc, argv, [&] { "
                "... }); words of the command line: run_main(argc, argv, \"FILE STEPS\", f)");
  return 1;
}

}  // namespace armilla
