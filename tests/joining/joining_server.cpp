// SPDX-License-Identifier: Apache-2.0
// A program of run_main whose ranks serve until its function returns: joining_server [WORKERS [CALLED]]. It waits until so
// many others have said by name that they have done their work, which is another program, and joins while this one runs; and,
// where CALLED is a rank, until that one has been called.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <armilla/armilla.hpp>

#include "joining_methods.hpp"

namespace am = armilla;

namespace {

am::per_rank<int> done;

int next_task() {
  static int task = 0;
  return task++;
}
void say_done(int) { ++*done; }

void call_once(am::rank_t r) {
  for (;;) try {
      std::printf("rank %d %s\n", int(r), am::call(r, am::joined).get() ? "serves" : "is one of the start");
      return;
    } catch (const am::rank_lost&) { am::sleep_for(std::chrono::milliseconds(1)); }
}

}  // namespace

int main(int argc, char** argv) {
  const int wanted = argc > 1 ? std::atoi(argv[1]) : 1, called = argc > 2 ? std::atoi(argv[2]) : -1;
  return am::run_main(argc, argv, [wanted, called] {
    am::provide<joining::next_task, &next_task>();
    am::provide<joining::say_done, &say_done>();
    std::printf("ready\n");
    std::fflush(stdout);
    if (called >= 0) call_once(am::rank_t(called));
    while (*done < wanted) am::sleep_for(std::chrono::milliseconds(1));
    std::printf("%d are done\n", *done);
  });
}
