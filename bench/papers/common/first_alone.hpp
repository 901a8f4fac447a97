// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <armilla/armilla.hpp>

#include "bench/papers/common/threads.hpp"

namespace papers {

/// Runs `f(seats)`, a baseline made of as many threads as there are ranks, on rank 0; the other ranks sleep meanwhile.
/// Collective.
template <class F>
void first_alone(F&& f) {
  if (armilla::rank() == 0) {
    const seats cores(armilla::ranks());
    f(cores);
  }
  armilla::barrier();
}

}  // namespace papers
