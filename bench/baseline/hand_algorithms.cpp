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

double each(row_context& c) {
  const part<double> x(c, 1.0);
  return by_all(c, [&, p = x.data()] {
#pragma omp simd
    for (std::size_t i = 0; i < x.size; ++i) p[i] = p[i] * 0.5 + 1;
    keep(p[0]);
  });
}

double transform(row_context& c) {
  const part<double> x(c, 3.0), y(c, 0.0);
  return by_all(c, [&, p = x.data(), q = y.data()] {
#pragma omp simd
    for (std::size_t i = 0; i < x.size; ++i) q[i] = p[i] * 0.5 + 1;
    keep(q[0]);
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
  return by_all(c, [&, p = x.data()] {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < x.size; ++i) sum += p[i];
    verify(sum_of_all(c, sum) == double(c.size), "reduce");
  });
}

double inner_product(row_context& c) {
  const part<double> x(c, 2.0), y(c, 0.5);
  return by_all(c, [&, p = x.data(), q = y.data()] {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < x.size; ++i) sum += p[i] * q[i];
    verify(sum_of_all(c, sum) == double(c.size), "inner_product");
  });
}

/// Two passes: the sum of each part, then its prefix.
template <class T>
double inclusive_scan(row_context& c) {
  const part<T> x(c, T(1)), y(c, T(0));
  return by_all(c, [&, p = x.data(), q = y.data()] {
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < x.size; ++i) sum += p[i];
    T* const all = c.scratch<T>();
    all[c.rank * 16] = sum;
    c.sync();
    T before = 0;
    for (int r = 0; r < c.rank; ++r) before += all[r * 16];
    for (std::size_t i = 0; i < x.size; ++i) q[i] = before += p[i];
    keep(q[0]);
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
