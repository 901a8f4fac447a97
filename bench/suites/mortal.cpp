// SPDX-License-Identifier: Apache-2.0
// The job of suite loss: ranks that call each other and meet until one of them is lost.
#include <unistd.h>

#include <cstdlib>
#include <string>

#include <armilla/armilla.hpp>

#include "bench/harness/arena.hpp"
#include "bench/suites/loss.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {

namespace {

// Behind the loss: what the survivors do until they can go on.
void recover(const std::string& row) {
  if (row == "survivors_ready") armilla::world().survivors();
  if (row != "fence_ready") return;
  try {
    armilla::fence();
  } catch (const armilla::rank_lost&) {}
}

}  // namespace

int be_mortal(int argc, char** argv) {
  if (argc != 5) return 2;
  death_note& note = map_note(argv[2]);
  const int victim = std::atoi(argv[3]);
  const std::string row = argv[4];
  return armilla::run(argc, argv, [&] {
    const int me = armilla::rank();
    if (armilla::ranks() > death_note::most_ranks) return;
    try {
      for (long step = 0; armilla::living().size() == armilla::ranks(); ++step) {
        armilla::call((me + int(step)) % armilla::ranks(), [](long n) { return n + 1; }, step).get();
        if (step % 8 == 0) row == "fence_ready" ? armilla::fence() : armilla::barrier();
        if (step == 100 && me == (victim < 0 ? 0 : victim)) note.victim = victim < 0 ? -1 : ::getpid();
      }
    } catch (const armilla::rank_lost&) {
      if (armilla::living().size() == armilla::ranks()) recover(row);
      note.heard[me] = now_ns();
      if (row.starts_with("loss")) throw;
    }
  });
}

}  // namespace bench::suites
