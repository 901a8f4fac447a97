// SPDX-License-Identifier: Apache-2.0
// The job of suite loss: ranks that call each other and meet until one of them is lost.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>

#include <armilla/armilla.hpp>

#include "bench/harness/arena.hpp"
#include "bench/suites/loss.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {

namespace {

// Until the one that takes its place answers.
void await_return(armilla::rank_t lost) {
  for (bool answered = false; !answered;) try {
      answered = armilla::call(lost, [] { return true; }).get();
    } catch (const armilla::rank_lost&) { armilla::sleep_for(std::chrono::microseconds(200)); }
}

// Behind the loss: what the survivors do until they can go on.
void recover(const std::string& row, armilla::rank_t lost) {
  if (row == "replaced_ready") await_return(lost);
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
  armilla::on_join([] {});
  return armilla::run(argc, argv, [&] {
    const int me = armilla::rank();
    if (armilla::ranks() > death_note::most_ranks) return;
    try {
      for (long step = 0; armilla::living().size() == armilla::ranks(); ++step) {
        armilla::call((me + int(step)) % armilla::ranks(), [](long n) { return n + 1; }, step).get();
        if (step % 8 == 0) row == "fence_ready" ? armilla::fence() : armilla::barrier();
        if (step == 100 && me == (victim < 0 ? 0 : victim)) note.victim = victim < 0 ? -1 : ::getpid();
      }
    } catch (const armilla::rank_lost& e) {
      if (armilla::living().size() == armilla::ranks()) recover(row, e.rank());
      note.heard[me] = now_ns();
      if (row.starts_with("loss")) throw;
    }
  });
}

}  // namespace bench::suites
