// SPDX-License-Identifier: Apache-2.0
// A program of MPC++: main runs on processor 0 alone and gives the others work, as function instances.
#include <cstdio>
#include <deque>
#include <functional>

#include <armilla/armilla.hpp>
#include <armilla/dialect/mpcpp.hpp>

#include "examples/tour/expect.hpp"
using namespace armilla::mpcpp;

namespace {

int square(int x) { return x * x; }

// Each instance asks the next processor, and waits for it.
int ask_around(int left) {
  if (left == 0) return 0;
  int rest;
  invoke(rest, (armilla::rank() + 1) % armilla::ranks(), ask_around, left - 1);
  return rest + 1;
}

// Slave threads that reduce and meet, as those of the NPB programs do.
double work_together(double mine) {
  const double sum = armilla::all_reduce(mine, std::plus<>{});
  armilla::barrier();
  return sum;
}

void put_and_tell(GlobalPtr<int> place, int value, GlobalPtr<Sync<int>> done) {
  *place = value;
  ainvoke<&Sync<int>::write>(done, value);
}

void mpc_main() {
  int nine;
  invoke(nine, armilla::ranks() - 1, square, 3);  // waits
  expect(nine == 9, "a function instance and its result");

  std::deque<Sync<int>> squares(static_cast<std::size_t>(armilla::ranks()));
  for (int pe = 0; pe < armilla::ranks(); ++pe) ainvoke(squares[std::size_t(pe)], pe, square, pe);  // all at once
  for (int pe = 0; pe < armilla::ranks(); ++pe) expect(squares[std::size_t(pe)].read() == pe * pe, "asynchronous instances");

  int around;
  invoke(around, 0, ask_around, 10);
  expect(around == 10, "instances that wait for instances");

  std::deque<Sync<double>> sums(static_cast<std::size_t>(armilla::ranks()));
  for (int pe = 1; pe < armilla::ranks(); ++pe) ainvoke(sums[std::size_t(pe)], pe, work_together, 1.0);
  sums[0].write(work_together(1.0));
  for (int pe = 0; pe < armilla::ranks(); ++pe)
    expect(sums[std::size_t(pe)].read() == armilla::ranks(), "collectives of instances");

  int mine = 0;
  Sync<int> done;
  ainvoke(armilla::ranks() - 1, put_and_tell, armilla::to_global(&mine), 7, armilla::to_global(&done));
  expect(done.read() == 7 && mine == 7, "a global pointer, and a structure that synchronises");
}

}  // namespace

int main(int argc, char** argv) {
  return run_main(argc, argv, [] {
    mpc_main();
    std::printf("mpcpp: all as expected\n");
  });
}
