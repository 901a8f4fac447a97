// SPDX-License-Identifier: Apache-2.0
// A task farm: the rows of a picture of the Mandelbrot set, of which some take a thousand times as long as others. One rank
// pushes them all; each rank takes what it has time for, and counts points in its own number.
#include <chrono>
#include <complex>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

#include "examples/arguments.hpp"
namespace am = armilla;

namespace {

struct picture {
  int rows = 100;
  int steps = 500;
};

/// How many points of a row do not escape.
long inside(const picture& p, int row) {
  long n = 0;
  for (int column = 0; column < p.rows; ++column) {
    const std::complex<double> c(-2 + 2.5 * column / p.rows, -1.25 + 2.5 * row / p.rows);
    std::complex<double> z;
    int left = p.steps;
    while (left > 0 && std::norm(z) < 4)
      z = {z.real() * z.real() - z.imag() * z.imag() + c.real(), 2 * z.real() * z.imag() + c.imag()}, --left;
    n += left == 0;
  }
  return n;
}

void count_points(const picture& p) {
  am::work_queue<int> rows;
  for (int row = 0; am::rank() == 0 && row < p.rows; ++row) rows.push(row);
  const auto start = std::chrono::steady_clock::now();
  long mine = 0;
  rows.process([&](int row) { mine += inside(p, row); });
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  const long all = am::all_reduce(mine, std::plus<>{});
  if (am::rank() != 0) return;
  long expected = 0;
  for (int row = 0; row < p.rows; ++row) expected += inside(p, row);
  if (all != expected) throw std::runtime_error(std::to_string(all) + " points, expected " + std::to_string(expected));
  std::printf("%ld points on %d ranks, right (%.1f ms)\n", all, int(am::ranks()), time.count());
}

}  // namespace

int main(int argc, char** argv) {
  examples::arguments arguments(
      "Counts the points of the Mandelbrot set in a picture; the ranks share its rows as they have time.");
  picture p;
  arguments.take("--rows", p.rows, "of the picture, and its columns", 1, 10'000);
  arguments.take("--steps", p.steps, "after which a point is inside", 1, 1'000'000);
  if (const auto ended = arguments.read(argc, argv)) return *ended;
  return am::run(argc, argv, [=] { count_points(p); });
}
