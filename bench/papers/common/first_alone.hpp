// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <armilla/armilla.hpp>

#include "bench/papers/common/threads.hpp"

namespace papers {

/// Runs `f`, a baseline made of threads, on rank 0; the other ranks sleep meanwhile. Collective.
template <class F>
void first_alone(F&& f) {
  if (armilla::rank() == 0) {
    const unpinned threads_everywhere;
    f();
  }
  armilla::barrier();
}

}  // namespace papers
