// SPDX-License-Identifier: Apache-2.0
// A rank that computes for long, and others that want its memory by messages.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

/// Some 10 us of arithmetic on one line of memory.
double compute_a_little() {
  std::array<double, 8> x{1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 0; i < 2500; ++i) {
    for (double& v : x) v = v * 0.999 + 0.001;
    keep(x);
  }
  return x[0];
}

/// 10 ms in which the rank does not look for messages.
void compute_deaf() {
  const am::interruptible here;
  const std::uint64_t until = now_ns() + 10'000'000;
  while (now_ns() < until) keep(compute_a_little());
}

std::atomic<long>& over(row_context& c) { return *c.scratch<std::atomic<long>>(); }

/// What rank 1 does between two polls.
using occupation = void (*)();
void nothing() {}

/// Rank 1 is occupied and polls in between; the median time of `access(i)` by rank 0, ns.
template <class Access>
double from_occupied(row_context& c, occupation work, Access&& access) {
  enum : long { begins = -1, goes_on, ends };
  if (c.rank == 0) over(c) = begins;
  am::barrier();
  if (c.rank == 1) over(c) = goes_on;
  double result = 0;
  if (c.rank == 0) {
    while (over(c) == begins) am::poll();  // what has to leave for rank 1's barrier leaves
    std::vector<double> took;
    for (long i = 0; i < c.iterations; ++i) {
      ::usleep(useconds_t(700 + i * 37 % 600));  // at no fixed place within the 10 ms
      const std::uint64_t start = now_ns();
      access(i);
      took.push_back(double(now_ns() - start));
    }
    std::nth_element(took.begin(), took.begin() + long(took.size()) / 2, took.end());
    result = took[took.size() / 2];
    over(c) = ends;
  }
  while (c.rank == 1 && over(c).load(std::memory_order_relaxed) == goes_on) {
    work();
    am::poll();
  }
  am::barrier();
  return result;
}

/// The same of a rank that computes and polls every 10 ms.
template <class Access>
double from_computing(row_context& c, Access&& access) {
  return from_occupied(c, compute_deaf, std::forward<Access>(access));
}

double attention_get(row_context& c) {
  const everywhere<double> all(8);
  const am::global_ptr<double> p = all.of(far(c));
  return from_computing(c, [&](long i) { verify(double(p[i % 8]) == double(i % 8), "read from a rank that computes"); });
}

/// `size` bytes at a time.
template <occupation Work>
double attention_get_many(row_context& c) {
  const std::size_t count = std::size_t(c.size) / sizeof(double);
  const everywhere<double> all(count);
  std::vector<double> into(count);
  return from_occupied(c, Work, [&](long) {
    into.back() = -1;
    am::get(std::span<double>(into), all.of(far(c)));
    am::sync_memory();
    verify(into.back() == double(count - 1), "read from a rank that is occupied");
  });
}

double attention_fetch_add(row_context& c) {
  const everywhere<std::int64_t> all(8);
  return from_computing(c, [&](long i) { verify(am::atomic_fetch_add(all.of(far(c)), 1) == i, "add at a rank that computes"); });
}

/// Rank 1 does a fixed amount of work while rank 0 reads from it a thousand times a second, or not: ms.
template <bool Reads>
double work_under_reads(row_context& c) {
  const everywhere<double> all(8);
  auto& done = over(c);
  auto& took = *c.scratch<double>(64);
  done = 0;
  c.sync();
  if (c.rank == 1) {
    const std::uint64_t start = now_ns();
    for (long i = 0; i < c.iterations; ++i) {
      const am::interruptible here;
      for (int k = 0; k < 1000; ++k) keep(compute_a_little());
    }
    took = double(now_ns() - start) * 1e-6;
    done.store(1, std::memory_order_release);
  }
  if (c.rank == 0) {
    const am::global_ptr<double> p = all.of(far(c));
    double sum = 0;
    while (done.load(std::memory_order_acquire) == 0) {
      ::usleep(1000);
      if (Reads) sum += p[3] - 3.0;
    }
    verify(sum == 0, "reads from a rank that computes");
  }
  am::barrier();
  return took;
}

}  // namespace

void add_attention(row_table& rows) {
  rows.insert(rows.end(), {{"attention_get", attention_get},
                           {"attention_get_many", attention_get_many<compute_deaf>},
                           {"polling_get_many", attention_get_many<nothing>},
                           {"attention_fetch_add", attention_fetch_add},
                           {"work_under_reads", work_under_reads<true>},
                           {"work_undisturbed", work_under_reads<false>}});
}

}  // namespace bench::suites
