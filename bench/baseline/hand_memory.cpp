// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics and copies, straight to memory that both processes map.
#include <cstring>
#include <numeric>

#include "bench/baseline/hand.hpp"

namespace bench::hand {
namespace {

constexpr long words = 1024;

/// Runs `f` on rank 0 while the others sleep.
template <class F>
double alone(row_context& c, F&& f) {
  c.sync();
  const double result = c.rank == 0 ? f() : 0.0;
  c.sync_sleeping();
  return result;
}

/// Pointers to `words` words that the last rank has written.
std::vector<long*> remote_words(row_context& c) {
  long* base = c.scratch<long>();
  if (c.rank == c.ranks - 1) std::iota(base, base + words, 0L);
  std::vector<long*> pointers(words);
  for (long i = 0; i < words; ++i) pointers[std::size_t(i)] = base + i;
  c.sync();
  return pointers;
}

double load(row_context& c) {
  const std::vector<long*> p = remote_words(c);
  return alone(c, [&] {
    return time_per(c.iterations, [&](long n) {
      long sum = 0;
      for (long i = 0; i < n; ++i) sum += __atomic_load_n(p[std::size_t(i % words)], __ATOMIC_ACQUIRE);
      const long rest = n % words;
      verify(sum == n / words * (words * (words - 1) / 2) + rest * (rest - 1) / 2, "sum of loads");
    });
  });
}

// By itself, so that nothing around it takes part in how it is compiled; the same of the row beside it.
[[gnu::noipa]] double sum_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double *p = x.data(), *const end = p + x.size(); p != end; ++p) sum += *p;
  return sum;
}

/// A loop by a pointer over `size` doubles of the own rank.
double local_read(row_context& c) {
  const std::vector<double> x(std::size_t(c.size), 1.0);
  c.sync();
  return time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) verify(sum_of(x) == double(c.size), "a loop by a pointer");
  });
}

double store(row_context& c) {
  const std::vector<long*> p = remote_words(c);
  return alone(c, [&] {
    return time_per(c.iterations, [&](long n) {
      for (long i = 0; i < n; ++i) __atomic_store_n(p[std::size_t(i % words)], i, __ATOMIC_RELEASE);
    });
  });
}

double atomic_add(row_context& c) {
  const std::vector<long*> p = remote_words(c);
  return alone(c, [&] {
    return time_per(c.iterations, [&](long n) {
      for (long i = 0; i < n; ++i) __atomic_fetch_add(p[std::size_t(i % words)], 1, __ATOMIC_RELAXED);
    });
  });
}

double copy(row_context& c) {
  const std::vector<std::byte> from(std::size_t(c.size), std::byte{7});
  auto* to = c.scratch<std::byte>();
  return alone(c, [&] {
    return time_per(c.iterations, [&](long n) {
      for (long i = 0; i < n; ++i) {
        std::memcpy(to, from.data(), from.size());
        keep(to);
      }
    });
  });
}

}  // namespace

void add_memory(row_table& rows) {
  rows.insert(rows.end(), {{"hand_local_read", local_read},
                           {"hand_load", load},
                           {"hand_store", store},
                           {"hand_atomic_add", atomic_add},
                           {"hand_memcpy", copy}});
}

}  // namespace bench::hand
