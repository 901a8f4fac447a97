// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <span>
#include <vector>

#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

thread_local long arrived = 0;

/// Nanoseconds per call of `f(i)`, which all ranks make together.
template <class F>
double together(row_context& c, F&& f) {
  const double result = time_per(c.iterations, [&](long n) {
    for (long i = 0; i < n; ++i) f(i);
  });
  am::barrier();
  return result;
}

double barrier(row_context& c) {
  return together(c, [](long) { am::barrier(); });
}

double fence_idle(row_context& c) {
  am::fence();
  return together(c, [](long) { am::fence(); });
}

/// Every rank sends a one-way call to the next before each fence.
double fence_busy(row_context& c) {
  const am::rank_t next = (c.rank + 1) % c.ranks;
  long sent = 0;
  arrived = 0;
  am::barrier();
  const double result = together(c, [&](long) {
    am::async(next, [](long n) { arrived += n; }, 1L);
    am::fence();
    ++sent;
    verify(arrived == sent || arrived == sent + 1, "one-way calls before a fence");  // the next one may have come already
  });
  verify(arrived == sent, "one-way calls before the last fence");
  return result;
}

double reduce_all(row_context& c) {
  const am::team all = am::world();
  return together(c, [&](long i) {
    verify(all.all_reduce(double(i + c.rank), std::plus<>{}) == double(c.ranks * i + c.ranks * (c.ranks - 1) / 2), "reduce_all");
  });
}

double reduce_root(row_context& c) {
  const am::team all = am::world();
  return together(c, [&](long i) {
    const auto sum = all.reduce(double(i + c.rank), std::plus<>{});
    verify(c.rank != 0 || *sum == double(c.ranks * i + c.ranks * (c.ranks - 1) / 2), "reduce");
  });
}

/// In place: rank 0's array grows by the others' each time.
double reduce_array(row_context& c) {
  const am::team all = am::world();
  std::vector<double> data(std::size_t(c.size) / sizeof(double), 1.0);
  long sums = 0;
  const double result = together(c, [&](long) {
    all.reduce(std::span(data), std::plus<>{});
    ++sums;
  });
  for (const double x : data) verify(x == (c.rank == 0 ? 1.0 + double(sums) * (c.ranks - 1) : 1.0), "reduce of an array");
  return result;
}

double all_reduce_array(row_context& c) {
  std::vector<double> data(std::size_t(c.size) / sizeof(double), double(c.rank));
  const double result =
      together(c, [&](long) { am::all_reduce(std::span(data), [](double a, double b) { return a < b ? b : a; }); });
  for (const double x : data) verify(x == double(c.ranks - 1), "all_reduce of an array");
  return result;
}

double alltoall(row_context& c) {
  const am::team all = am::world();
  const std::size_t words = std::size_t(c.size) / 8, ranks = std::size_t(c.ranks);
  std::vector<std::uint64_t> out(words * ranks), in(words * ranks);
  for (std::size_t r = 0; r < ranks; ++r) std::fill_n(&out[r * words], words, std::uint64_t(c.rank) * 1000 + r);
  const double result = together(c, [&](long) { all.all_to_all(std::span<const std::uint64_t>(out), std::span(in)); });
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t w = 0; w < words; ++w) verify(in[r * words + w] == r * 1000 + std::uint64_t(c.rank), "all_to_all");
  return result;
}

}  // namespace

void add_collective(row_table& rows) {
  rows.insert(rows.end(), {{"barrier", barrier},
                           {"fence_idle", fence_idle},
                           {"fence_busy", fence_busy},
                           {"reduce_all", reduce_all},
                           {"reduce_root", reduce_root},
                           {"reduce_array", reduce_array},
                           {"all_reduce_array", all_reduce_array},
                           {"alltoall", alltoall}});
}

}  // namespace bench::suites
