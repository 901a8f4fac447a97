// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients, preconditioned by the diagonal, on a matrix from a MatrixMarket file. The right side is that of ones. The
// same program by MPI stands beside, in by_mpi.cpp.
#include <cmath>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

namespace am = armilla;

namespace {

bool solve(const std::string& path, int most_steps) {
  const am::sparse_matrix<double> a = am::read_matrix_market(path);
  const am::array<double> d = a.diagonal();
  am::vector<double> ones(a.rows(), 1.0, am::like(d)), x(a.rows(), am::like(d)), b(a.rows(), am::like(d)),
      q(a.rows(), am::like(d));
  am::spmv(a, ones, b);
  const auto start = am::clock::now();
  const auto scaled = [](double r, double diagonal) { return r * r / diagonal; };
  auto r = b.clone(), p = x.clone();
  const double first = am::inner_product(r, d, 0.0, std::plus<>{}, scaled);
  double rz = first, before = 0;
  int step = 0;
  for (; step < most_steps && rz > 1e-20 * first; ++step) {
    am::for_each(am::nowait, am::views::zip(p, std::as_const(r), d),
                 [beta = before > 0 ? rz / before : 0](double& pi, double ri, double di) { pi = ri / di + beta * pi; });
    am::spmv(am::nowait, a, p, q);
    const double alpha = rz / am::inner_product(p, q);
    am::for_each(am::nowait, am::views::zip(x, r, std::as_const(p), std::as_const(q)),
                 [alpha](double& xi, double& ri, double pi, double qi) { xi += alpha * pi, ri -= alpha * qi; });
    before = std::exchange(rz, am::inner_product(r, d, 0.0, std::plus<>{}, scaled));
  }
  const double time = am::seconds_since(start);
  am::spmv(a, x, q);
  const double error =
      std::sqrt(am::inner_product(b, q, 0.0, std::plus<>{}, [](double u, double v) { return (u - v) * (u - v); })) / am::norm(b);
  am::print_on(0, "{} steps in {:.3f} s, residual {}: {}\n", step, time, error, error < 1e-8 ? "right" : "WRONG");
  return error < 1e-8;
}

}  // namespace

int main(int argc, char** argv) {
  return am::run(argc, argv, [&] {
    if (argc == 3) return solve(argv[1], std::atoi(argv[2])) ? 0 : 1;
    am::print_on(0, "usage: {} FILE STEPS\n", argv[0]);
    return 2;
  });
}
