// SPDX-License-Identifier: Apache-2.0
// Conway's game of life on a torus of N x N cells with a glider in each corner of 16 x 16 cells. A glider goes on by one cell in
// four generations, so that after 4 N all are where they began. The same program by MPI stands beside, in by_mpi.cpp.
#include <cstdint>
#include <utility>

#include <armilla/algorithms.hpp>

namespace am = armilla;

static bool play(std::size_t n) {
  if (n == 0 || n % 16 != 0) return am::print_on(0, "N must be a multiple of 16\n"), false;
  const auto start = am::clock::now();
  am::matrix<std::uint8_t> cells({n, n}, am::grid(), am::halo(1).periodic()), next = cells.like();
  am::for_each_index(cells, [&](std::size_t index, std::uint8_t& cell) {
    const auto [i, j] = cells.cell_of(index);
    constexpr const char* glider[] = {" # ", "  #", "###"};
    cell = i % 16 < 3 && j % 16 < 3 && glider[i % 16][j % 16] == '#';
  });
  const auto first = cells.clone();
  for (std::size_t generation = 0; generation < 4 * n; ++generation) {
    am::stencil(am::nowait, cells, next, [](auto at) {
      const int around = at(-1, -1) + at(-1, 0) + at(-1, 1) + at(0, -1) + at(0, 1) + at(1, -1) + at(1, 0) + at(1, 1);
      return std::uint8_t(around == 3 || (around == 2 && at(0, 0) != 0));
    });
    am::swap(cells, next);
  }
  const bool back = am::equal(cells, first) && am::count(cells, 1) == (n / 16) * (n / 16) * 5;
  am::print_on(0, "{} generations in {:.3f} s: {}\n", 4 * n, am::seconds_since(start), back ? "right" : "WRONG");
  return back;
}

int main(int argc, char** argv) { return am::run(argc, argv, "N", play); }
