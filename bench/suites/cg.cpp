// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients, preconditioned by the diagonal: a given number of steps on a matrix of `size` rows. A figure is of a step.
#include <functional>
#include <utility>

#include <armilla/algorithms.hpp>

#include "bench/kernels/equations.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

namespace am = armilla;

using vector = am::array<double>;

/// The energy of what x differs from ones by.
double energy(const am::sparse_matrix<double>& a, const vector& x) {
  vector error = x.clone(), product = x.like();
  am::for_each(error, [](double& e) { e -= 1; });
  am::spmv(a, error, product);
  return am::inner_product(error, product);
}

void steps(const am::sparse_matrix<double>& a, const vector& d, const vector& b, vector& x, long n) {
  vector p = x.like(), q = x.like();
  am::fill(x, 0);
  vector r = b.clone();
  const auto z = am::views::zip_transform(std::divides<>{}, r, d);  // always of the present r
  am::copy(z, p);
  double rz = am::inner_product(r, z);
  for (long k = 0; k < n; ++k) {
    am::spmv(am::nowait, a, p, q);
    const double alpha = rz / am::inner_product(p, q);
    am::axpy(am::nowait, alpha, p, x);
    am::axpy(am::nowait, -alpha, q, r);
    const double before = std::exchange(rz, am::inner_product(r, z));
    am::axpby(am::nowait, 1, z, rz / before, p);
  }
}

template <std::vector<equation_entry> rows_of(std::size_t, std::size_t, std::size_t)>
double solve(row_context& c) {
  const auto n = std::size_t(c.size), ranks = std::size_t(c.ranks), rank = std::size_t(c.rank);
  std::vector<am::matrix_entry<double>> mine;
  for (const equation_entry& e : rows_of(n, n * rank / ranks, n * (rank + 1) / ranks)) mine.push_back({e.row, e.column, e.value});
  const am::sparse_matrix<double> a(n, n, mine);
  const vector d = a.diagonal();
  vector x = d.like(), b = d.like();
  am::fill(x, 1);
  am::spmv(a, x, b);
  am::fill(x, 0);
  const double energy_before = energy(a, x);
  const double time = time_per(c.iterations, [&](long k) {
    steps(a, d, b, x, k);
    am::barrier();
  });
  verify(energy(a, x) < energy_before / 2, "conjugate gradients");
  return time;
}

}  // namespace

void add_equations(row_table& rows) {
  rows.insert(rows.end(), {{"cg_poisson", solve<poisson_rows>}, {"cg_stiff", solve<stiff_rows>}});
}

}  // namespace bench::suites
