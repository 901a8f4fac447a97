// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/run.hpp"

namespace armilla {

namespace detail {
struct session_holder;
}

/// Membership in a job: this process is a rank from the construction to the end of the scope.
///
/// Use it in programs and frameworks that cannot give their code to `run` as a function. Everything of the library may be used
/// meanwhile.
///
///     int main(int argc, char** argv) {
///       am::session job(argc, argv);
///       return job.run([] { am::async(1, work); });
///     }
///
/// **Construction.** In the first process of a job with several ranks the constructor becomes the supervisor, which exits there
/// as by `std::exit`. In the ranks it returns when all have started.
///
/// **Destruction** is collective: it returns when every rank has come to it, and all calls are done. If an exception leaves the
/// scope, the job is stopped.
///
/// **Errors.** Throws `usage_error` for a second session of a process, and with ARMILLA_FABRIC=threads and several ranks, which
/// only `run` and `run_main` can start.
class session {
 public:
  session(int argc, char** argv);
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();

  /// Runs `f` on every rank, waits for all that it caused, and returns the exit code of the program. Collective.
  template <rank_function F>
  int run(F f) {
    return run_erased(detail::call_copy<F>, &f, detail::who_runs::everybody);
  }
  /// Runs `f` on rank 0 only; the other ranks serve calls until it has returned. Collective.
  template <rank_function F>
  int run_main(F f) {
    return run_erased(detail::call_copy<F>, &f, detail::who_runs::first);
  }

 private:
  int run_erased(detail::rank_main call, const void* function, detail::who_runs who);
  detail::session_holder* holder_;
};

}  // namespace armilla
