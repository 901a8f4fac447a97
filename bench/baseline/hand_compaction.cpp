// SPDX-License-Identifier: Apache-2.0
// Compactions of suite algorithms by hand: a process a core, each keeps some of its part in memory that it has touched first,
// without a branch. Merges and set operations by the standard on one core.
#include <algorithm>
#include <memory>
#include <vector>

#include "bench/baseline/hand.hpp"
#include "bench/kernels/keys.hpp"

namespace bench::hand {
namespace {

using numbers = std::vector<std::uint32_t>;

/// This rank's part of a random sequence.
numbers part_of(const row_context& c) {
  const std::size_t n = std::size_t(c.size / c.ranks);
  return uniform_keys<std::uint32_t>(std::size_t(c.rank) * n, n);
}

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

[[gnu::noinline]] std::size_t keep_odd(const std::uint32_t* from, std::size_t n, std::uint32_t* to) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    to[kept] = from[i];
    kept += from[i] % 2;
  }
  return kept;
}
[[gnu::noinline]] std::size_t keep_changes(const std::uint32_t* from, std::size_t n, std::uint32_t* to) {
  std::size_t kept = 1;
  to[0] = from[0];
  for (std::size_t i = 1; i < n; ++i) {
    to[kept] = from[i];
    kept += from[i] != from[i - 1];
  }
  return kept;
}
[[gnu::noinline]] std::size_t divide(const std::uint32_t* from, std::size_t n, std::uint32_t* yes, std::uint32_t* no) {
  std::size_t odd = 0;
  for (std::size_t i = 0; i < n; ++i) {
    yes[odd] = from[i];
    no[i - odd] = from[i];
    odd += from[i] % 2;
  }
  return odd;
}

double copy_if(row_context& c) {
  const numbers x = part_of(c);
  numbers y(x.size() + 1);
  return by_all(c, [&] { verify(keep_odd(x.data(), x.size(), y.data()) > 0, "copy_if by hand"); });
}
double unique_copy(row_context& c) {
  numbers x = part_of(c), y(x.size() + 1);
  for (std::uint32_t& e : x) e %= 2;
  return by_all(c, [&] { verify(keep_changes(x.data(), x.size(), y.data()) > 0, "unique by hand"); });
}
double partition_copy(row_context& c) {
  const numbers x = part_of(c);
  numbers y(x.size() + 1), z(x.size() + 1);
  return by_all(c, [&] { verify(divide(x.data(), x.size(), y.data(), z.data()) > 0, "partition by hand"); });
}

/// Nanoseconds of f(x, y, z) by rank 0 alone, of two ranges in order of half of the elements each.
template <class F>
double by_one(const row_context& c, F f) {
  c.sync();
  double time = 0;
  if (c.rank == 0) {
    numbers x = uniform_keys<std::uint32_t>(0, std::size_t(c.size) / 2), y(x.size()), z(std::size_t(c.size));
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = std::uint32_t(random_bits(x[i]) >> 32);
    std::sort(x.begin(), x.end());
    std::sort(y.begin(), y.end());
    time = time_per(c.iterations, [&](long n) {
      for (long i = 0; i < n; ++i) verify(f(x, y, z.begin()) > z.begin(), "a merge by the standard");
    });
  }
  c.sync();
  return time;
}
double merge(row_context& c) {
  return by_one(c,
                [](const numbers& x, const numbers& y, auto z) { return std::merge(x.begin(), x.end(), y.begin(), y.end(), z); });
}
double set_union(row_context& c) {
  return by_one(
      c, [](const numbers& x, const numbers& y, auto z) { return std::set_union(x.begin(), x.end(), y.begin(), y.end(), z); });
}
double set_intersection(row_context& c) {
  return by_one(c, [](const numbers& x, const numbers& y, auto z) {
    return std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), z);
  });
}

}  // namespace

void add_compactions(row_table& rows) {
  rows.insert(rows.end(), {{"hand_copy_if", copy_if},
                           {"hand_unique_copy", unique_copy},
                           {"hand_partition_copy", partition_copy},
                           {"std_merge", merge},
                           {"std_set_union", set_union},
                           {"std_set_intersection", set_intersection}});
}

}  // namespace bench::hand
