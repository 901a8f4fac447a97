// SPDX-License-Identifier: Apache-2.0
// A program of MPC++: main runs on processor 0 alone and gives the others work, as function instances.
#include <cmath>
#include <cstdio>
#include <deque>
#include <functional>
#include <vector>

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

// A heated rod, in parts: each slave thread has one, reads the edges of its neighbours, and reduces with all of them.
constexpr int points = 40;  // of a part
constexpr int steps = 60;
using Sum = Reduction<double, std::plus<>>;

// One step of a part, whose neighbours' edges are in place. Returns by how much it has changed.
double warm(std::vector<double>& u) {
  double change = 0, left = u[0];
  for (std::size_t i = 1; i + 1 < u.size(); ++i) {
    const double old = u[i];
    u[i] = (left + 2 * old + u[i + 1]) / 4;
    change += std::abs(u[i] - old);
    left = old;
  }
  return change;
}

// What a slave is told: places on processor 0.
struct work {
  GlobalPtr<GlobalPtr<double>> parts;
  GlobalPtr<Barrier> meeting;
  GlobalPtr<Sum> total;
};

double slave(work w) {
  const int me = armilla::rank(), last = armilla::ranks() - 1;
  std::vector<double> u(points + 2);
  if (me == 0) u[0] = 100;
  w.parts[me] = armilla::to_global(u.data());  // a remote write: where my part is
  invoke<&Barrier::arrive>(w.meeting);
  const GlobalPtr<double> left = w.parts[me == 0 ? 0 : me - 1], right = w.parts[me == last ? last : me + 1];

  double change = 0;
  for (int i = 0; i < steps; ++i) {
    if (me > 0) u[0] = left[points];
    if (me < last) u[points + 1] = right[1];
    invoke<&Barrier::arrive>(w.meeting);              // all have read: each may write
    change = invoke<&Sum::arrive>(w.total, warm(u));  // all have written: each may read
  }
  return change;
}

// The main thread gives each processor its part of the work, and takes the results.
void master() {
  const std::size_t all = static_cast<std::size_t>(armilla::ranks());
  std::vector<GlobalPtr<double>> parts(all);
  Barrier meeting(all);
  Sum total(all);
  const work w{armilla::to_global(parts.data()), armilla::to_global(&meeting), armilla::to_global(&total)};
  std::deque<Sync<double>> changes(all);
  for (std::size_t pe = 0; pe < all; ++pe) ainvoke(changes[pe], int(pe), slave, w);

  std::vector<double> alone(points * all + 2);
  alone[0] = 100;
  double change = 0;
  for (int i = 0; i < steps; ++i) change = warm(alone);
  for (Sync<double>& of_slave : changes) expect(std::abs(of_slave.read() - change) < 1e-9, "slave threads that reduce and meet");
}

// The same by the library's own collectives, which take no two-way call each.
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

  master();

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
