// SPDX-License-Identifier: Apache-2.0
// The temperature of a square plate whose border is given, by Jacobi's steps. The border is that of x * x - y * y, which the
// plate then takes on. The same program by MPI stands beside, in by_mpi.cpp.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

namespace am = armilla;

namespace {

double farthest(const am::matrix<double>& a, const am::matrix<double>& b) {
  return am::inner_product(
      a, b, 0.0, [](double x, double y) { return std::max(x, y); }, [](double x, double y) { return std::abs(x - y); });
}

bool solve(std::size_t n, int most_steps) {
  const auto start = am::clock::now();
  const auto exact = [n](const auto& cell) {
    const double y = double(cell[0] + 1) / double(n + 1), x = double(cell[1] + 1) / double(n + 1);
    return x * x - y * y;
  };
  am::matrix<double> t({n, n}, am::grid(), am::halo(1)), u = t.like();
  t.set_border(exact);
  u.set_border(exact);
  double change = 1;
  int step = 0;
  while (step < most_steps && change > 1e-12) {
    am::stencil(t, u, [](auto at) { return (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) / 4; });
    if (++step % 100 == 0) change = farthest(t, u);
    am::swap(t, u);
  }
  am::for_each_index(u, [&](std::size_t i, double& e) { e = exact(u.cell_of(i)); });
  const double error = farthest(t, u);
  am::print_on(0, "{} steps in {:.3f} s, error {}: {}\n", step, am::seconds_since(start), error,
               error < 1e-6 ? "right" : "WRONG");
  return error < 1e-6;
}

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [&] {
    if (argc == 3) return solve(std::size_t(std::atoi(argv[1])), std::atoi(argv[2])) ? 0 : 1;
    am::print_on(0, "usage: {} N STEPS\n", argv[0]);
    return 2;
  });
}
