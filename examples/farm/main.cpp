// SPDX-License-Identifier: Apache-2.0
// A task farm: the rows of a picture of the Mandelbrot set, of which some take a thousand times as long as others. One rank
// pushes them all; each rank takes what it has time for, and counts points in its own number. The same program by MPI stands
// beside, in by_mpi.cpp.
#include <complex>
#include <functional>

#include <armilla/algorithms.hpp>

namespace am = armilla;

/// How many points of a row do not escape.
static long inside(int rows, int steps, int row) {
  long n = 0;
  for (int column = 0; column < rows; ++column) {
    const std::complex<double> c(-2 + 2.5 * column / rows, -1.25 + 2.5 * row / rows);
    std::complex<double> z;
    int left = steps;
    for (; left > 0 && std::norm(z) < 4; --left)
      z = {z.real() * z.real() - z.imag() * z.imag() + c.real(), 2 * z.real() * z.imag() + c.imag()};
    n += left == 0;
  }
  return n;
}

static bool count_points(int rows, int steps) {
  am::work_queue<int> queue;
  for (int row = 0; am::rank() == 0 && row < rows; ++row) queue.push(row);
  const auto start = am::clock::now();
  long mine = 0;
  queue.process([&](int row) { mine += inside(rows, steps, row); });
  const long all = am::all_reduce(mine, std::plus<>{});
  const double time = am::seconds_since(start);
  const auto in_row = am::views::iota(0, rows) | am::views::transform([=](int row) { return inside(rows, steps, row); });
  const bool right = all == am::reduce(in_row);
  am::print_on(0, "{} points on {} ranks, {} ({:.3f} s)\n", all, am::ranks(), right ? "right" : "WRONG", time);
  return right;
}

int main(int argc, char** argv) { return am::run(argc, argv, "ROWS STEPS", count_points); }
