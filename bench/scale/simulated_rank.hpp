// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>

#include "armilla/base/core/options.hpp"
#include "armilla/boot/host/bootstrap.hpp"
#include "armilla/fabric/network.hpp"
#include "armilla/session/session_state.hpp"

namespace scale {

/// Stands around every call of the simulated MPI. The simulator runs all ranks in turn on one thread, each on a stack of its own,
/// and goes on with another one only in there: which rank's context the thread has must be set again afterwards. What a rank has
/// computed since it came out it sleeps in there.
class in_simulator {
 public:
  in_simulator() : mine_(armilla::detail::current) { sleep_computed(); }
  ~in_simulator() {
    armilla::detail::set_current(mine_);
    begin_computing();
  }
  in_simulator(const in_simulator&) = delete;

  /// Seconds that a simulated processor takes for what this one does in a second; 0, as at first: it takes no time at all. For
  /// all ranks.
  static void let_compute(double slower);

 private:
  static void sleep_computed();
  static void begin_computing();

  armilla::detail::context* mine_;
};

/// One rank of a simulated job. All its messages to other ranks go through the MPI backend, as if each rank were on a host of its
/// own. Ranks share the statics of the process, and only one runs at a time: what they share needs no lock.
class simulated_rank {
 public:
  /// All ranks. Throws what the library throws at its start. A rank that has looked for messages a few times, in vain and without
  /// sending any, is taken to wait for the next: a program that goes on without one, at some later look, stands still.
  simulated_rank();
  ~simulated_rank();
  simulated_rank(const simulated_rank&) = delete;

  /// Runs `f` as `armilla::run` does. Returns its code.
  template <class F>
  int run(const F& f) {
    return run([](const void* work) { return (*static_cast<const F*>(work))(); }, &f, armilla::detail::who_runs::everybody);
  }
  int run(armilla::detail::rank_main call, const void* function, armilla::detail::who_runs who);

 private:
  std::unique_ptr<armilla::detail::bootstrap> started_;
  std::unique_ptr<armilla::detail::network> carries_;
  armilla::detail::options settings_;
  std::unique_ptr<armilla::detail::session_state> state_;
};

}  // namespace scale
