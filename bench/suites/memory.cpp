// SPDX-License-Identifier: Apache-2.0
// Access to another rank's memory, and bulk arguments.
#include <cstring>
#include <span>
#include <vector>

#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

constexpr long words = 1024;

/// Global pointers to the words of a rank that is chosen at run time, as a program would hold them.
std::vector<am::global_ptr<long>> pointers_to(const everywhere<long>& all, am::rank_t to) {
  std::vector<am::global_ptr<long>> p(words);
  for (long i = 0; i < words; ++i) p[std::size_t(i)] = all.of(to) + i;
  return p;
}

double deref_read(row_context& c) {
  const everywhere<long> all(words);
  const auto p = pointers_to(all, far(c));
  return driven(c, [&] {
    return time_per(c.iterations, [&](long n) {
      long sum = 0;
      for (long i = 0; i < n; ++i) sum += *p[std::size_t(i % words)];
      const long rest = n % words;
      verify(sum == n / words * (words * (words - 1) / 2) + rest * (rest - 1) / 2, "sum of reads");
    });
  });
}

double deref_write(row_context& c) {
  const everywhere<long> all(words);
  const auto p = pointers_to(all, far(c));
  const double result = driven(c, [&] {
    return time_per(c.iterations, [&](long n) {
      for (long i = 0; i < n; ++i) *p[std::size_t(i % words)] = i + 5;
    });
  });
  if (c.rank == far(c))
    for (long i = 0; i < std::min(words, c.iterations); ++i)
      verify((all.mine.local()[i] - 5) % words == i && all.mine.local()[i] > c.iterations - 1 - words, "writes");
  return result;
}

double atomic_add(row_context& c) {
  const everywhere<long> all(words);
  const auto p = pointers_to(all, far(c));
  const double result = driven(c, [&] {
    return time_per(c.iterations, [&](long n) {
      for (long i = 0; i < n; ++i) am::atomic_add(p[std::size_t(i % words)], 1L);
    });
  });
  if (c.rank == far(c)) {
    long sum = -words * (words - 1) / 2;
    for (long i = 0; i < words; ++i) sum += all.mine.local()[i];
    verify(sum == c.iterations + std::max(1L, c.iterations / 10), "atomic adds");
  }
  return result;
}

double put(row_context& c) {
  const std::size_t count = std::size_t(c.size) / sizeof(double);
  const everywhere<double> all(count);
  const std::vector<double> from(count, 7.0);
  const am::global_ptr<double> to = all.of(far(c));
  const double result = driven_each(c, [&](long) {
    am::put(to, std::span<const double>(from));
    am::sync_memory();
  });
  if (c.rank == far(c))
    for (std::size_t i = 0; i < count; ++i) verify(all.mine.local()[i] == 7.0, "put");
  return result;
}

/// What `put` is compared with: memcpy into the same memory.
double copy(row_context& c) {
  const std::size_t count = std::size_t(c.size) / sizeof(double);
  const everywhere<double> all(count);
  const std::vector<double> from(count, 7.0);
  double* to = all.of(far(c)).local();
  return driven_each(c, [&](long) {
    std::memcpy(to, from.data(), count * sizeof(double));
    keep(to);
  });
}

double arg_vector(row_context& c) {
  const am::rank_t to = far(c);
  std::vector<double> v(std::size_t(c.size) / sizeof(double), 1.0);
  return driven_each(c, [&](long i) {
    v.back() = double(i);
    verify(am::call(
               to, [](const std::vector<double>& x) { return x.back() + double(x.size()); }, v)
                   .get() == double(i) + double(v.size()),
           "call with a long vector");
  });
}

/// An array of another rank as the result of a call, into a buffer that the caller names.
double result_into(row_context& c, std::span<double> buffer) {
  const am::rank_t to = far(c);
  const auto array = [](std::size_t count, double last) -> const std::vector<double>& {
    thread_local std::vector<double> kept(count, 1.0);  // one a rank, also where ranks are threads
    kept.back() = last;
    return kept;
  };
  return driven_each(c, [&](long i) {
    const std::span<double> got = am::call_into(to, buffer, array, buffer.size(), double(i)).get();
    verify(got.size() == buffer.size() && got.back() == double(i), "result in a buffer");
  });
}

double result_segment(row_context& c) {
  const std::size_t count = std::size_t(c.size) / sizeof(double);
  const everywhere<double> all(count);
  return result_into(c, {all.mine.local(), count});
}

double result_private(row_context& c) {
  std::vector<double> buffer(std::size_t(c.size) / sizeof(double));
  return result_into(c, buffer);
}

/// As fast as one core sums: eight sums at a time.
double sum_of(const double* v, std::size_t n) {
  double part[8] = {};
  for (std::size_t i = 0; i + 8 <= n; i += 8)
    for (std::size_t k = 0; k < 8; ++k) part[k] += v[i + k];
  return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

double view_sum(row_context& c) {
  const am::rank_t to = far(c);
  const std::size_t count = std::size_t(c.size) / sizeof(double);
  const everywhere<double> all(count);
  double* mine = all.mine.local();
  const double expected = double(count) * double(count - 1) / 2;
  return driven_each(c, [&](long i) {
    mine[0] = double(i);  // so that each call has something new to read
    const double sum =
        am::call(to, [](am::view<double> v) { return sum_of(v.data(), v.size()); }, am::view<double>(mine, count)).get();
    verify(sum == expected + double(i), "sum of a view");
  });
}

/// What `view_sum` is compared with: copy the array to the other rank's memory and sum the copy.
double copy_sum(row_context& c) {
  const std::size_t count = std::size_t(c.size) / sizeof(double);
  const everywhere<double> all(count);
  double* mine = all.mine.local();
  double* to = all.of(far(c)).local();
  const double expected = double(count) * double(count - 1) / 2;
  return driven_each(c, [&](long i) {
    mine[0] = double(i);
    std::memcpy(to, mine, count * sizeof(double));
    keep(to);
    verify(sum_of(to, count) == expected + double(i), "sum of a copy");
  });
}

}  // namespace

void add_memory(row_table& rows) {
  rows.insert(rows.end(), {{"deref_read", deref_read},
                           {"deref_write", deref_write},
                           {"atomic_add", atomic_add},
                           {"put", put},
                           {"memcpy", copy},
                           {"arg_vector", arg_vector},
                           {"result_segment", result_segment},
                           {"result_private", result_private},
                           {"view_sum", view_sum},
                           {"memcpy_sum", copy_sum}});
}

}  // namespace bench::suites
