// SPDX-License-Identifier: Apache-2.0
// Diffusion in a box whose opposite sides meet: a stencil in three dimensions, whose halo is exchanged on all six sides.
#include <cmath>

#include <armilla/algorithms.hpp>

namespace am = armilla;

static bool diffuse(std::size_t n, int steps) {
  am::matrix<double, 3> t({n, n, n}, am::grid(), am::halo(1).periodic()), u = t.like();
  if (am::rank() == 0) t(0, 0, 0) = 1000;  // a hot cell in the corner, on whichever rank stores it
  am::barrier();

  for (int step = 0; step < steps; ++step) {
    am::stencil(t, u, [](auto at) {
      const double around = at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) + at(0, 0, -1) + at(0, 0, 1);
      return at(0, 0, 0) + 0.1 * (around - 6 * at(0, 0, 0));
    });
    am::swap(t, u);
  }

  const double heat = am::reduce(t), corner = t(0, 0, 0), opposite = t(n - 1, n - 1, n - 1), neighbor = t(1, 1, 1);
  const bool right = std::abs(heat - 1000) < 1e-6 && std::abs(opposite - neighbor) < 1e-9 && corner > neighbor;
  am::print_on(0, "{:.3f} in the corner, {:.3f} in all: {}\n", corner, heat, right ? "right" : "WRONG");
  return right;
}

int main(int argc, char** argv) { return am::run(argc, argv, "N STEPS", diffuse); }
