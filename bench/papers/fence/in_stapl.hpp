// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <armilla/dialect/stapl_rmi.hpp>

#include "bench/papers/fence/meetings.hpp"

/// The fences in STAPL's words. Paper: STAPL, section 7.2.
namespace fences::in_stapl {

// parallel
struct visitor {
  void arrive() { ++seats->arrived; }
};

inline void idle_fences(long times) {
  for (long i = 0; i < times; ++i) stapl::rmi_fence();
}
inline void busy_fences(long times) {
  visitor here;
  const stapl::rmi_object<visitor> registered(&here);
  stapl::rmi_fence();
  for (long i = 0; i < times; ++i) {
    stapl::async_rmi(int(next_rank()), &here, &visitor::arrive);
    stapl::rmi_fence();
  }
}
// end of parallel

}  // namespace fences::in_stapl
