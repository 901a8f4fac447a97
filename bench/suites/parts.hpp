// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>

#include "bench/suites/common.hpp"

namespace bench::suites {

/// As `driven`: `loop(n)` does n rounds of `each` operations; ns per operation. Where the library takes times, what each rank
/// did is noted as well.
template <class F>
double taken_apart(row_context& c, F&& loop, long each = 1) {
  am::barrier();
  const am::statistics before = am::stats();
  const double result = driven(c, [&] { return time_per(c.iterations, loop) / double(each); });
  const am::statistics s = am::stats() - before;
  if (s.borders == 0) return result;
  c.parts = {.operations = double((c.iterations + std::max(1L, c.iterations / 10)) * each),
             .seconds = s.time.sum(),
             .cpu = s.time.cpu,
             .net = s.time.net,
             .threads = s.time.thread_management + s.time.thread_synchronisation,
             .runtime = s.time.runtime,
             .yields = double(s.switches),
             .syncs = double(s.locks)};
  return result;
}

/// While one lives, each wait of the calling rank switches.
class switching {
 public:
  switching() { am::set_wait_mode(am::wait_mode::switching); }
  ~switching() { am::set_wait_mode(am::wait_mode::in_place); }
  switching(const switching&) = delete;
};

}  // namespace bench::suites
