// SPDX-License-Identifier: Apache-2.0
// The temperature of a square plate whose border is given, by Jacobi's steps. The border is that of x * x - y * y, which the
// plate then takes on. The same program by MPI stands beside, in by_mpi.cpp.
#include <cmath>

#include <armilla/algorithms.hpp>

namespace am = armilla;

static bool solve(std::size_t n, int most_steps) {
  const auto start = am::clock::now();
  const auto exact = [n](const auto& cell) {
    const double y = double(cell[0] + 1) / double(n + 1), x = double(cell[1] + 1) / double(n + 1);
    return x * x - y * y;
  };
  am::matrix<double> t({n, n}, am::grid(), am::halo(1)), u = t.like();
  t.set_border(exact);
  u.set_border(exact);
  const auto difference = [](double a, double b) { return std::abs(a - b); };
  double change = 1;
  int step = 0;
  while (step < most_steps && change > 1e-12) {
    am::stencil(t, u, [](auto at) { return (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) / 4; });
    if (++step % 100 == 0) change = am::max(am::views::zip_transform(difference, t, u));
    am::swap(t, u);
  }
  am::for_each_index(u, [&](std::size_t i, double& e) { e = exact(u.cell_of(i)); });
  const double error = am::max(am::views::zip_transform(difference, t, u));
  am::print_on(0, "{} steps in {:.3f} s, error {}: {}\n", step, am::seconds_since(start), error,
               error < 1e-6 ? "right" : "WRONG");
  return error < 1e-6;
}

int main(int argc, char** argv) { return am::run(argc, argv, "N STEPS", solve); }
