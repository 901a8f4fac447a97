// SPDX-License-Identifier: Apache-2.0
// The loops of suite algorithms by hand: a process a core, each its part of the arrays, which it has touched first; vectorised by
// the compiler with what OpenMP's simd allows. They meet once a loop in shared memory.
#include <algorithm>
#include <memory>
#include <numeric>

#include "bench/baseline/hand.hpp"

namespace bench::hand {
namespace {

/// This rank's part, touched by it.
template <class T>
class part {
 public:
  part(const row_context& c, T value) : size(std::size_t(c.size / c.ranks)), begin(new T[size]) {
    std::fill(begin.get(), begin.get() + size, value);
  }
  const std::size_t size;
  T* data() const { return begin.get(); }

 private:
  std::unique_ptr<T[]> begin;
};

template <class F>
double by_all(const row_context& c, F&& f) {
  c.sync();
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) {
      f();
      c.sync();
    }
  });
}

/// The sum of what all ranks have.
template <class T>
T sum_of_all(const row_context& c, T mine) {
  T* const all = c.scratch<T>();
  all[c.rank * 16] = mine;
  c.sync();
  T sum = 0;
  for (int r = 0; r < c.ranks; ++r) sum += all[r * 16];
  return sum;
}

// Each loop is a function of pointers and a number: what a compiler makes the best of.

void halve(double* p, std::size_t n) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) p[i] = p[i] * 0.5 + 1;
}

void halve_into(const double* __restrict p, double* __restrict q, std::size_t n) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) q[i] = p[i] * 0.5 + 1;
}

template <class T>
[[gnu::noinline]] T sum_of(const T* p, std::size_t n) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += p[i];
  return sum;
}

[[gnu::noinline]] double product_of(const double* p, const double* q, std::size_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += p[i] * q[i];
  return sum;
}

template <class T>
[[gnu::noinline]] void prefixes(const T* __restrict p, T* __restrict q, std::size_t n, T sum) {
  for (std::size_t i = 0; i < n; ++i) q[i] = sum += p[i];
}

double each(row_context& c) {
  const part<double> x(c, 1.0);
  return by_all(c, [&] {
    halve(x.data(), x.size);
    keep(x.data()[0]);
  });
}

double transform(row_context& c) {
  const part<double> x(c, 3.0), y(c, 0.0);
  return by_all(c, [&] {
    halve_into(x.data(), y.data(), x.size);
    keep(y.data()[0]);
  });
}

double fill(row_context& c) {
  const part<double> x(c, 3.0);
  return by_all(c, [&] {
    std::fill(x.data(), x.data() + x.size, 4.0);
    keep(x.data()[0]);
  });
}

double copy(row_context& c) {
  const part<double> x(c, 3.0), y(c, 0.0);
  return by_all(c, [&] {
    std::copy(x.data(), x.data() + x.size, y.data());
    keep(y.data()[0]);
  });
}

double reduce(row_context& c) {
  const part<double> x(c, 1.0);
  return by_all(c, [&] { verify(sum_of_all(c, sum_of(x.data(), x.size)) == double(c.size), "reduce"); });
}

double inner_product(row_context& c) {
  const part<double> x(c, 2.0), y(c, 0.5);
  return by_all(c, [&] { verify(sum_of_all(c, product_of(x.data(), y.data(), x.size)) == double(c.size), "inner_product"); });
}

/// Two passes: the sum of each part, then its prefixes.
template <class T>
double inclusive_scan(row_context& c) {
  const part<T> x(c, T(1)), y(c, T(0));
  return by_all(c, [&] {
    T* const all = c.scratch<T>();
    all[c.rank * 16] = sum_of(x.data(), x.size);
    c.sync();
    T before = 0;
    for (int r = 0; r < c.rank; ++r) before += all[r * 16];
    prefixes(x.data(), y.data(), x.size, before);
    keep(y.data()[0]);
  });
}

double find(row_context& c) {
  const part<double> x(c, 1.0);
  if (c.rank == 0) x.data()[x.size - 1] = 2.0;
  return by_all(c, [&] {
    const double* const at = std::find(x.data(), x.data() + x.size, 2.0);
    const std::size_t missing = sum_of_all(c, std::size_t(at == x.data() + x.size));
    verify(missing == std::size_t(c.ranks - 1), "find");
  });
}

}  // namespace

void add_algorithms(row_table& rows) {
  rows.insert(rows.end(), {{"hand_for_each", each},
                           {"hand_transform", transform},
                           {"hand_fill", fill},
                           {"hand_copy", copy},
                           {"hand_reduce", reduce},
                           {"hand_inner_product", inner_product},
                           {"hand_inclusive_scan", inclusive_scan<double>},
                           {"hand_inclusive_scan_int32", inclusive_scan<std::int32_t>},
                           {"hand_find", find}});
}

}  // namespace bench::hand
