// SPDX-License-Identifier: Apache-2.0
// A program in C++ and one in Python in one job, which call each other by name:
// armilla-run -n 2 ./python_solver : -n 2 python3 score.py
#include <cstdio>
#include <vector>

#include <armilla/armilla.hpp>
namespace am = armilla;

constexpr am::method<double(double)> step{"demo.solver.step"};             // of this program
constexpr am::method<double(std::vector<double>)> score{"demo.py.score"};  // of the one in Python

struct rod {
  std::vector<double> cells = std::vector<double>(1000, am::rank() + 1.0);

  double step(double dt) {
    for (double& t : cells) t *= 1 - dt;
    return cells[0];
  }
};

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    rod mine;
    am::provide<step, &rod::step>(mine);
    am::barrier();  // all have provided
    const am::rank_t there = am::ranks() - 1;
    std::printf("rank %d: %g\n", int(am::rank()), am::call<score>(there, mine.cells).get());
    am::barrier();
    am::fence();  // answers until Python comes to its fence
  });
}
