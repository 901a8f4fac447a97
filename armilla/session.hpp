// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "armilla/run.hpp"

namespace armilla {

namespace detail {
struct session_holder;
}

/// Membership in a job, for hosts that own `main`: this process is a rank from here to the end of the scope.
///
///     int main(int argc, char** argv) {
///       armilla::session job(argc, argv);
///       return job.run([] { armilla::async(1, work); });
///     }
///
/// The constructor does what `run` does first: in the first process of a job with several ranks it becomes the supervisor, which
/// ends there as by std::exit. It returns when all ranks have started. Between, everything of the library can be used, with or
/// without `run`. The destructor is collective: it returns when every rank has come to it and all calls are done. If an exception
/// leaves the scope, the job is stopped instead.
///
/// Throws `usage_error` with ARMILLA_FABRIC=threads and several ranks, which only `run` and `run_main` can start, and for a
/// second session of a process.
class session {
 public:
  session(int argc, char** argv);
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  ~session();

  /// Runs `f` on every rank and then awaits all that it caused. Returns 0, or the code with which the program shall exit.
  /// Collective.
  template <rank_function F>
  int run(F f) {
    return run_erased(detail::call_copy<F>, &f, detail::who_runs::everybody);
  }
  /// As `run`, but only rank 0 runs `f`; the others answer calls until it has returned. Collective.
  template <rank_function F>
  int run_main(F f) {
    return run_erased(detail::call_copy<F>, &f, detail::who_runs::first);
  }

 private:
  int run_erased(detail::rank_main call, const void* function, detail::who_runs who);
  detail::session_holder* holder_;
};

}  // namespace armilla
