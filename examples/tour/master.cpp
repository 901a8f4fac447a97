// SPDX-License-Identifier: Apache-2.0
// Two programs in one job: armilla-run -n 1 ./master : -n 3 ./worker. They share ranks, barriers and global memory.
#include <cstdio>
#include <stdexcept>

#include <armilla/armilla.hpp>
namespace am = armilla;

int main(int argc, char** argv) {
  return am::run(argc, argv, [] {
    if (am::rank() != 0 || am::ranks() < 2) throw std::runtime_error("start it as: armilla-run -n 1 ./master : -n 3 ./worker");
    const auto squares = am::allocate<long>(std::size_t(am::ranks()));
    am::broadcast_value(squares, 0);  // the workers now know where
    am::barrier();                    // and have written
    for (am::rank_t r = 1; r < am::ranks(); ++r)
      if (squares[r] != long(r) * r) throw std::runtime_error("a worker's result is missing");
    std::printf("master: %d workers of %s have squared their ranks\n", am::ranks() - 1, am::program_name(1).data());
    am::deallocate(squares);
  });
}
