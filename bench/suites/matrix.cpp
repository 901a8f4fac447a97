// SPDX-License-Identifier: Apache-2.0
// Square matrices of `size` rows, a block of rows a rank; and a loop over a rank's own elements.
#include <armilla/algorithms.hpp>

#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

namespace am = armilla;

using square = am::matrix<double>;

std::size_t rows_of(const row_context& c) { return std::size_t(c.size); }

/// A step, which takes the mean of four neighbours. It waits for these, and not for all ranks.
double stencil(row_context& c) {
  square t({rows_of(c), rows_of(c)}, am::grid({c.ranks, 1}), am::halo(1)), u = t.like();
  am::fill(t, 1.0);
  am::barrier();
  const double time = time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      am::stencil(am::nowait, t, u, [](auto at) { return (at(-1, 0) + at(1, 0) + at(0, -1) + at(0, 1)) / 4; });
      am::swap(t, u);
    }
    am::barrier();
  });
  const double corner = t(0, 0);  // the cells beyond the edge are 0
  verify(corner > 0 && corner < 1, "stencil");
  am::barrier();
  return time;
}

double transpose(row_context& c) {
  square a({rows_of(c), rows_of(c)}, am::grid({c.ranks, 1})), b = a.like();
  am::for_each_index(a, [](std::size_t i, double& e) { e = double(i); });
  const double time = time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) am::transpose(a, b);
  });
  verify(b(5, 3) == double(3 * rows_of(c) + 5) && b(rows_of(c) - 1, 0) == double(rows_of(c) - 1), "transpose");
  am::barrier();
  return time;
}

// By itself, so that nothing around it takes part in how it is compiled; the same of the loop by hand.
[[gnu::noipa]] double sum_of(const am::vector<double>& x) {
  double sum = 0;
  for (const double& e : x.local()) sum += e;
  return sum;
}

/// A sum over the elements of this rank, without a message.
double local_read(row_context& c) {
  const am::vector<double> x(std::size_t(c.size) * std::size_t(c.ranks), 1.0);
  am::barrier();
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) verify(sum_of(x) == double(c.size), "a loop over local()");
  });
}

}  // namespace

void add_matrices(row_table& rows) {
  rows.insert(rows.end(), {{"stencil", stencil}, {"transpose", transpose}, {"local_read", local_read}});
}

}  // namespace bench::suites
