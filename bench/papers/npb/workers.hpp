// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>

#include <armilla/armilla.hpp>
#include <armilla/dialect/mpcpp.hpp>

namespace npb {

/// A slave thread: a function instance that does its processor's part of `Work`, and enters collectives with the others.
template <void (*Work)()>
bool slave() {
  try {
    Work();
  } catch (const std::exception& e) {  // the others wait for this rank: end the job
    std::fprintf(stderr, "rank %d: %s\n", int(armilla::rank()), e.what());
    std::exit(1);
  }
  return true;
}

/// The main thread: gives every processor its part of `Work`, does its own, and waits for the slaves' ends.
/// Paper: MPC++, section 3.1 ("The main control thread on node 0 distribute work to slave threads on other nodes").
template <void (*Work)()>
void master() {
  using namespace armilla::mpcpp;
  std::deque<Sync<bool>> ended(static_cast<std::size_t>(armilla::ranks()));
  for (armilla::rank_t pe = 1; pe < armilla::ranks(); ++pe) ainvoke(ended[std::size_t(pe)], pe, slave<Work>);
  armilla::flush();
  slave<Work>();
  for (armilla::rank_t pe = 1; pe < armilla::ranks(); ++pe) ended[std::size_t(pe)].read();
}

}  // namespace npb
