// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <memory>

#include "armilla/base/options.hpp"
#include "armilla/boot/bootstrap.hpp"
#include "armilla/fabric/network.hpp"
#include "armilla/session/session_state.hpp"

namespace scale {

/// Stands around every call of the simulated MPI. The simulator runs all ranks in turn on one thread, each on a stack of its own,
/// and goes on with another one only in there: which rank's context the thread has must be set again afterwards.
class in_simulator {
 public:
  in_simulator() noexcept : mine_(armilla::detail::current) {}
  ~in_simulator() { armilla::detail::current = mine_; }
  in_simulator(const in_simulator&) = delete;

 private:
  armilla::detail::context* mine_;
};

/// One rank of a simulated job. All its messages to other ranks go through the MPI backend, as if each rank were on a host of its
/// own. Ranks share the statics of the process, and only one runs at a time: what they share needs no lock.
class simulated_rank {
 public:
  /// All ranks. Throws what the library throws at its start.
  simulated_rank();
  ~simulated_rank();
  simulated_rank(const simulated_rank&) = delete;

  /// Runs `f` as `armilla::run` does. Returns its code.
  template <class F>
  int run(const F& f) {
    const int code =
        state_->run([](const void* work) { return (*static_cast<const F*>(work))(); }, &f, armilla::detail::who_runs::everybody);
    state_->finish();
    return code;
  }

 private:
  std::unique_ptr<armilla::detail::bootstrap> started_;
  std::unique_ptr<armilla::detail::network> carries_;
  armilla::detail::options settings_;
  std::unique_ptr<armilla::detail::session_state> state_;
};

}  // namespace scale
