// SPDX-License-Identifier: Apache-2.0
// Algorithms over arrays of `size` doubles on all ranks together, beside the same loops by hand.
#include <armilla/algorithms.hpp>

#include "bench/kernels/keys.hpp"
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

/// Nanoseconds of a sort of `size` keys, the same each time.
template <class T>
double sort(row_context& c, std::vector<T> (*make)(std::size_t, std::size_t)) {
  am::vector<T> keys(elements(c)), x = keys.like();
  const std::vector<T> mine = make(keys.local().empty() ? 0 : keys.index_of_local(0), keys.local().size());
  std::copy(mine.begin(), mine.end(), keys.local().begin());
  double sum = 0;
  for (long i = -1; i < c.iterations; ++i) {  // one to warm up
    am::copy(keys, x);
    const std::uint64_t start = now_ns();
    am::sort(x);
    if (i >= 0) sum += double(now_ns() - start);
  }
  verify(am::is_sorted(x), "sort");
  return sum / double(c.iterations);
}
template <class T>
double sort_uniform(row_context& c) {
  return sort<T>(c, &uniform_keys<T>);
}
double sort_equal(row_context& c) { return sort<std::uint32_t>(c, &equal_keys); }
double sort_pairs(row_context& c) { return sort<keyed>(c, &keyed_keys); }

using numbers = am::vector<std::uint32_t>;

/// Numbers of a random sequence.
numbers random_numbers(std::size_t n) {
  numbers x(n);
  am::for_each_index(x, [](std::size_t i, std::uint32_t& e) { e = std::uint32_t(random_bits(i) >> 32); });
  return x;
}

const auto odd = [](std::uint32_t e) { return e % 2 != 0; };

double copy_if(row_context& c) {
  const numbers x = random_numbers(elements(c));
  numbers y(elements(c));
  std::size_t found = 0;
  const double time = by_all(c, [&] { found = am::copy_if(x, y, odd); });
  verify(found == am::count_if(x, odd) && am::all_of(am::views::take(y, found), odd), "copy_if");
  return time;
}

double unique_copy(row_context& c) {
  numbers x = random_numbers(elements(c)), y(elements(c));
  am::for_each(x, [](std::uint32_t& e) { e %= 2; });
  std::size_t found = 0;
  const double time = by_all(c, [&] { found = am::unique_copy(x, y); });
  verify(am::adjacent_find(am::views::take(y, found)) == am::npos, "unique_copy");
  return time;
}

double partition(row_context& c) {
  const numbers x = random_numbers(elements(c));
  numbers y(elements(c)), z(elements(c));
  std::size_t found = 0;
  const double time = by_all(c, [&] { found = am::partition_copy(x, y, z, odd).first; });
  verify(found == am::count_if(x, odd) && am::none_of(am::views::take(z, elements(c) - found), odd), "partition_copy");
  return time;
}

/// Two ranges in order of half of the elements each.
template <class F>
double of_two(row_context& c, F f) {
  numbers x = random_numbers(elements(c) / 2), y(elements(c) / 2), z(elements(c));
  am::transform(x, y, [](std::uint32_t e) { return std::uint32_t(random_bits(e) >> 32); });
  am::sort(x);
  am::sort(y);
  const double time = by_all(c, [&] { f(x, y, z); });
  verify(am::is_sorted(am::views::take(z, std::size_t(f(x, y, z)))), "a merge");
  return time;
}
double merge(row_context& c) {
  return of_two(c, [](const numbers& x, const numbers& y, numbers& z) {
    am::merge(x, y, z);
    return z.size();
  });
}
double set_union(row_context& c) {
  return of_two(c, [](const numbers& x, const numbers& y, numbers& z) { return am::set_union(x, y, z); });
}
double set_intersection(row_context& c) {
  return of_two(c, [](const numbers& x, const numbers& y, numbers& z) { return am::set_intersection(x, y, z); });
}

/// Two inputs of `size` pairs.
double join(row_context& c) {
  const std::size_t n = elements(c), mine = n / std::size_t(c.ranks), first = std::size_t(c.rank) * mine;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> left, right;
  for (const keyed& e : join_keys(first, mine, n)) left.emplace_back(e.key, e.value);
  for (const keyed& e : join_keys(n + first, mine, n)) right.emplace_back(e.key, e.value);
  std::size_t found = 0;
  const double time = by_all(c, [&] { found = am::join(left, right).size(); });
  verify(am::all_reduce(found, std::plus<>{}) == size_of_join(mine * std::size_t(c.ranks)), "join");
  return time;
}

/// A product of two square matrices of `size` rows.
double gemm(row_context& c) {
  am::matrix<double> a({elements(c), elements(c)}, am::grid({c.ranks, 1})), b = a.like(), product = a.like();
  am::fill(a, 0.5);
  am::fill(b, 2.0);
  const double time = by_all(c, [&] { am::gemm(a, b, product); });
  verify(am::count(product, double(c.size)) == elements(c) * elements(c), "gemm");
  return time;
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
                           {"sort", sort_uniform<std::uint32_t>},
                           {"sort_double", sort_uniform<double>},
                           {"sort_equal", sort_equal},
                           {"sort_pairs", sort_pairs},
                           {"copy_if", copy_if},
                           {"unique_copy", unique_copy},
                           {"partition_copy", partition},
                           {"merge", merge},
                           {"set_union", set_union},
                           {"set_intersection", set_intersection},
                           {"join", join},
                           {"gemm", gemm},
                           {"index_read", index_read}});
}

}  // namespace bench::suites
