// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <type_traits>
#include <utility>

#include "armilla/session/arguments_inline.hpp"
#include "armilla/session/run_inline.hpp"

namespace armilla {

/// A function that a rank can run: without arguments, and with no result, an int (the exit code), or a bool (whether it
/// succeeded, which makes the code 0 or 1).
template <class F>
concept rank_function =
    std::is_invocable_v<F&> && (std::is_void_v<std::invoke_result_t<F&>> || std::is_convertible_v<std::invoke_result_t<F&>, int>);

/// Runs `f` on every rank of the job, and returns the exit code of the program.
///
///     int main(int argc, char** argv) {
///       return am::run(argc, argv, [] { am::print_on(0, "{} ranks\n", am::ranks()); });
///     }
///
/// **Ranks.** The environment (`ARMILLA_RANKS=4`, `ARMILLA_FABRIC=threads`) or `armilla-run` says how many ranks there are, and
/// whether they are processes or threads. One rank runs in this process. For more, the first process becomes the supervisor: it
/// starts this program again for each rank, with the same arguments, and exits, as by `std::exit`, when they have ended, without
/// returning from `run`. Each of these processes executes what is before `run` in `main`. With ARMILLA_FABRIC=threads the ranks
/// are threads of one process, which executes it once.
///
/// **Complete** when every rank has returned from `f`, and all calls and accesses that it caused are done.
///
/// **Errors.** A rank that throws out of `f`, returns another code than 0, calls `std::exit`, or is killed ends the job within a
/// second. One message names the rank, the program and the cause, and the exit code is not 0: the 8 bits of the code of `f` that
/// the system keeps, or 1 if these are 0.
///
/// A process can run one job.
template <rank_function F>
int run(int argc, char** argv, F f) {
  return detail::run_job(argc, argv, detail::call_copy<F>, &f, detail::who_runs::everybody);
}

/// Runs `f` on rank 0 only; the other ranks serve calls until it has returned. Otherwise as `run`.
///
/// Paper: MPC++ (main on processor 0), MRPC section 3.
template <rank_function F>
int run_main(int argc, char** argv, F f) {
  return detail::run_job(argc, argv, detail::call_copy<F>, &f, detail::who_runs::first);
}

/// Runs `f` on every rank with the words of the command line as arguments, converted to the types of its parameters: numbers and
/// strings.
///
///     int main(int argc, char** argv) {
///       return am::run(argc, argv, "FILE STEPS", [](const std::string& file, int steps) { return solve(file, steps); });
///     }
///
/// `names` has a name for each parameter, with a space between them. If there are more or fewer words, or one is not a number of
/// its type, rank 0 prints which, and "usage: PROGRAM FILE STEPS", and the exit code is 2. Throws `usage_error` if `names` has
/// more or fewer words than `f` has parameters. Otherwise as `run`.
template <detail::takes_arguments F>
int run(int argc, char** argv, const char* names, F f) {
  return run(argc, argv, detail::with_arguments(detail::argument_words(argc, argv, names), std::move(f)));
}

/// Runs `f` on rank 0 only, with the words of the command line as arguments.
template <detail::takes_arguments F>
int run_main(int argc, char** argv, const char* names, F f) {
  return run_main(argc, argv, detail::with_arguments(detail::argument_words(argc, argv, names), std::move(f)));
}

// ---- Mistakes: these do not compile, and say what to write instead ----

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
