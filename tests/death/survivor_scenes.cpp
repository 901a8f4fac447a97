// SPDX-License-Identifier: Apache-2.0
// Moments at which ranks that are left could wait for each other for ever: survivor_scenes SCENE. Driven by on_loss_test.py.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string>

#include <armilla/armilla.hpp>

namespace am = armilla;

namespace {

am::per_rank<am::counter> arrivals;

bool is_lost_in(auto&& operation) {
  try {
    operation();
  } catch (const am::rank_lost&) { return true; }
  return false;
}

void say_left(const am::team& t) {
  const int sum = t.all_reduce(1 << am::rank(), std::plus<>{});
  std::printf("rank %d of %d: %x\n", int(t.rank()), int(t.size()), unsigned(sum));
}

// Rank 2 waits in a half without lost ranks for rank 0, which has heard of the loss and gives up the whole.
void half() {
  const am::team all = am::world(), mine = all.split(am::rank() % 2);
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  if (am::rank() == 2 && !is_lost_in([&] { mine.barrier(); })) std::printf("rank 2 was not told\n");
  if (am::rank() != 2) is_lost_in([&] { all.barrier(); });
  const am::team left = all.survivors();
  say_left(left);
  if (mine.size() == 2 && !is_lost_in([&] { mine.barrier(); })) std::printf("the half is not revoked\n");
  left.split(left.rank() % 2).barrier();
}

// Rank 0 waits for no other in the last collective, and has come to its end when rank 2 looks for those that are left.
void ended() {
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  is_lost_in([] { am::world().reduce(1, std::plus<>{}, 2); });
  if (am::rank() == 0) return;
  say_left(am::world().survivors());
}

// Another call without a new loss takes nothing from the team that the first one gave.
void again() {
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  is_lost_in([] { am::barrier(); });
  const am::team first = am::world().survivors(), second = am::world().survivors();
  first.barrier();
  say_left(second);
}

// What any loss ends waits again when the ranks that are left have agreed.
void counted() {
  if (am::rank() == 1) kill(getpid(), SIGKILL);
  if (!is_lost_in([] { arrivals.local().wait(1); })) std::printf("the counter was not ended\n");
  const am::team left = am::world().survivors();
  arrivals.on(left.world_rank((left.rank() + 1) % left.size())).signal();
  arrivals.local().wait(1);
  say_left(left);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string scene = argc > 1 ? argv[1] : "";
  return am::run(argc, argv, [&] {
    am::barrier();
    if (scene == "half") half();
    if (scene == "ended") ended();
    if (scene == "again") again();
    if (scene == "counted") counted();
    return 0;
  });
}
