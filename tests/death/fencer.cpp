// SPDX-License-Identifier: Apache-2.0
// A job that goes on when ranks die and knows no teams: fencer SEED STEPS DEATH... Its ranks meet in fences and barriers of all.
// Driven by survivors_test.py.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include <armilla/armilla.hpp>

#include "tests/death/deaths.hpp"

namespace am = armilla;

namespace {

using deaths::require;

constexpr int most = 20;
struct counts {
  long to[most];  // one-way calls that this rank has sent to each, those that its bodies sent too
};
am::per_rank<counts> sent;
long run[most];  // from each
long meetings = 0;

bool lives(int r) { return am::living().rank_of(r) >= 0; }

void note(int from) { ++run[from]; }
void send(int to) {
  am::async(to, note, int(am::rank()));
  ++(*sent).to[to];
}
void note_and_pass_on(int from, int to) {
  ++run[from];
  send(to);
}
long slow_plus_one(long n) {
  am::sleep_for(std::chrono::microseconds(200));
  return n + 1;
}

/// All ranks that are left hear of the same losses at the same meetings.
template <class Meeting>
void meet(Meeting meeting) {
  ++meetings;
  try {
    meeting();
  } catch (const am::rank_lost& e) {
    std::printf("rank %d meeting %ld: %d\n", int(am::rank()), meetings, int(e.rank()));
    std::fflush(stdout);
    require(!lives(int(e.rank())), "the lost rank lives");
    deaths::hear_of_loss();
  } catch (const am::remote_error& e) {  // a body met a rank that is lost
    if (std::string(e.type_name()) != "armilla::rank_lost") throw;
  }
}

void to_any(std::mt19937& own) try {
  const int to = int(own() % unsigned(am::ranks()));
  const long n = long(own() % 1000);
  switch (own() % 4) {
    case 0: return require(am::call(to, slow_plus_one, n).get() == n + 1, "a reply");
    case 1:
      for (int i = 0; i < 100; ++i) send(to);
      return;
    default: am::async(to, note_and_pass_on, int(am::rank()), int(own() % unsigned(am::ranks()))); ++(*sent).to[to];
  }
} catch (const am::rank_lost&) {
} catch (const am::remote_error& e) {
  if (std::string(e.type_name()) != "armilla::rank_lost") throw;
}

/// After a fence, before anything more is sent: each one-way call of ranks that live has run, once.
void compare() {
  for (int r = 0; r < am::ranks(); ++r) {
    long theirs = 0;
    try {
      theirs = static_cast<counts>(*sent.on(r)).to[am::rank()];
    } catch (const am::rank_lost&) {  // its memory on another host has gone with it
      continue;
    }
    if (lives(r))
      require(run[r] == theirs, "of " + std::to_string(theirs) + " one-way calls of rank " + std::to_string(r) + " " +
                                    std::to_string(run[r]) + " have run at meeting " + std::to_string(meetings));
  }
}

int live(unsigned seed, long steps) {
  std::mt19937 own(seed * 7919 + unsigned(am::rank()));
  meet([] { am::barrier(); });  // a rank that was quicker may be lost in it
  deaths::tell_begun();
  deaths::strike_at("start");
  for (long step = 0; step < steps; ++step) {
    for (unsigned i = own() % 8; i-- > 0;) to_any(own);
    if (deaths::to_throw) throw std::runtime_error("had enough");
    meet([] { am::fence(); });
    compare();
    meet([] { am::barrier(); });
  }
  std::printf("rank %d done\n", int(am::rank()));
  std::fflush(stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return deaths::run(argc, argv, live); }
