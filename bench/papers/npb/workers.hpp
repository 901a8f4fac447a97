// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <cstdlib>
#include <exception>

#include <armilla/armilla.hpp>
#include <armilla/dialect/mpcpp.hpp>

namespace npb {

/// The main thread of processor 0 gives every rank the same work, as MPC++ programs do: a thread on each of them, which is the
/// rank's own code from then on and may use collectives. Returns when the work of rank 0 is done and all have come to their end.
/// `work` is a function object without captured addresses. Paper: MPC++, section 3.1.
template <class Work>
void on_every_rank(Work work) {
  const auto begin = [work] {
    armilla::spawn([work] {
      try {
        work();
      } catch (const std::exception& e) {  // the others wait for this rank: end the job
        std::fprintf(stderr, "rank %d: %s\n", int(armilla::rank()), e.what());
        std::exit(1);
      }
      armilla::barrier();
    });
  };
  for (armilla::rank_t pe = 1; pe < armilla::ranks(); ++pe) armilla::mpcpp::ainvoke(pe, begin);
  armilla::flush();
  work();
  armilla::barrier();
}

}  // namespace npb
