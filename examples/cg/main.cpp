// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients, preconditioned by the diagonal, on a matrix from a MatrixMarket file. The right side is that of ones. The
// same program by MPI stands beside, in by_mpi.cpp.
#include <functional>
#include <string>
#include <utility>

#include <armilla/algorithms.hpp>

namespace am = armilla;

static bool solve(const std::string& path, int most_steps) {
  const am::sparse_matrix<double> a = am::read_matrix_market(path);
  const am::array<double> d = a.diagonal();
  am::array<double> x = d.like(), p = d.like(), q = d.like(), b = d.like();
  am::fill(q, 1);
  am::spmv(a, q, b);
  const auto start = am::clock::now();
  am::array<double> r = b.clone();
  const auto z = am::views::zip_transform(std::divides<>{}, r, d);  // always of the present r
  am::copy(z, p);
  double rz = am::inner_product(r, z);
  const double goal = 1e-20 * rz;
  int step = 0;
  for (; step < most_steps && rz > goal; ++step) {
    am::spmv(am::nowait, a, p, q);
    const double alpha = rz / am::inner_product(p, q);
    am::axpy(am::nowait, alpha, p, x);
    am::axpy(am::nowait, -alpha, q, r);
    const double before = std::exchange(rz, am::inner_product(r, z));
    am::axpby(am::nowait, 1, z, rz / before, p);
  }
  const double time = am::seconds_since(start);
  am::spmv(a, x, q);
  const double error = am::norm(am::views::zip_transform(std::minus<>{}, b, q)) / am::norm(b);
  am::print_on(0, "{} steps in {:.3f} s, residual {}: {}\n", step, time, error, error < 1e-8 ? "right" : "WRONG");
  return error < 1e-8;
}

int main(int argc, char** argv) { return am::run(argc, argv, "FILE STEPS", solve); }
