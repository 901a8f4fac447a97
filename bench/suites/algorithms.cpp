// SPDX-License-Identifier: Apache-2.0
// Algorithms over arrays of `size` doubles on all ranks together, beside the same loops by hand.
#include <armilla/algorithms.hpp>

#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

using doubles = am::vector<double>;

/// Nanoseconds per call of `f` by all ranks.
template <class F>
double by_all(const row_context& c, F&& f) {
  am::barrier();
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) f();
  });
}

std::size_t elements(const row_context& c) { return std::size_t(c.size); }

double each(row_context& c) {
  doubles x(elements(c), 1.0);
  const double time = by_all(c, [&] { am::for_each(x, [](double& e) { e = e * 0.5 + 1; }); });
  verify(am::all_of(x, [](double e) { return e > 1 && e <= 2; }), "for_each");
  return time;
}

double transform(row_context& c) {
  const doubles x(elements(c), 3.0);
  doubles y(elements(c));
  const double time = by_all(c, [&] { am::transform(x, y, [](double e) { return e * 0.5 + 1; }); });
  verify(am::count(y, 2.5) == elements(c), "transform");
  return time;
}

double fill(row_context& c) {
  doubles x(elements(c));
  const double time = by_all(c, [&] { am::fill(x, 4.0); });
  verify(am::count(x, 4.0) == elements(c), "fill");
  return time;
}

double copy(row_context& c) {
  const doubles x(elements(c), 3.0);
  doubles y(elements(c));
  const double time = by_all(c, [&] { am::copy(x, y); });
  verify(am::count(y, 3.0) == elements(c), "copy");
  return time;
}

double reduce(row_context& c) {
  const doubles x(elements(c), 1.0);
  return by_all(c, [&] { verify(am::reduce(x) == double(c.size), "reduce"); });
}

double inner_product(row_context& c) {
  const doubles x(elements(c), 2.0), y(elements(c), 0.5);
  return by_all(c, [&] { verify(am::inner_product(x, y) == double(c.size), "inner_product"); });
}

/// The borders of the two are a thousand elements apart.
double zip_borders(row_context& c) {
  std::vector<std::size_t> sizes(std::size_t(c.ranks), elements(c) / std::size_t(c.ranks));
  sizes.front() += elements(c) % std::size_t(c.ranks) + (c.ranks > 1 ? 1000 : 0);
  if (c.ranks > 1) sizes.back() -= 1000;
  const doubles x(elements(c), 2.0), y(elements(c), 0.5, am::blocks(sizes));
  return by_all(c, [&] {
    const auto products = am::views::zip(x, y) | am::views::transform([](double a, double b) { return a * b; });
    verify(am::reduce(products) == double(c.size), "zip, transform, reduce");
  });
}

template <class T>
double inclusive_scan(row_context& c) {
  const am::vector<T> x(elements(c), T(1));
  am::vector<T> y(elements(c));
  const double time = by_all(c, [&] { am::inclusive_scan(x, y); });
  verify(T(y[elements(c) - 1]) == T(c.size) && T(y[elements(c) / 3]) == T(c.size / 3 + 1), "inclusive_scan");
  am::barrier();
  return time;
}

double find(row_context& c) {
  doubles x(elements(c), 1.0);
  if (c.rank == 0) x[elements(c) / std::size_t(c.ranks) - 1] = 2.0;
  return by_all(c, [&] { verify(am::find(x, 2.0) == elements(c) / std::size_t(c.ranks) - 1, "find"); });
}

/// x[i] for each i: `size` elements, of which every other block lies elsewhere. Nanoseconds an element.
double index_read(row_context& c) {
  const doubles x(elements(c), 1.0);
  return driven(c, [&] {
    return time_per(c.iterations, [&](long n) {
      double sum = 0;
      for (long i = 0; i < n; ++i) sum += x[std::size_t(i) % elements(c)];
      verify(sum == double(n), "x[i]");
    });
  });
}

}  // namespace

void add_algorithms(row_table& rows) {
  rows.insert(rows.end(), {{"for_each", each},
                           {"transform", transform},
                           {"fill", fill},
                           {"copy", copy},
                           {"reduce", reduce},
                           {"inner_product", inner_product},
                           {"zip_borders", zip_borders},
                           {"inclusive_scan", inclusive_scan<double>},
                           {"inclusive_scan_int32", inclusive_scan<std::int32_t>},
                           {"find", find},
                           {"index_read", index_read}});
}

}  // namespace bench::suites
