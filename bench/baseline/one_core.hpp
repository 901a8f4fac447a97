// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "bench/harness/row.hpp"
#include "bench/kernels/containers.hpp"

/// What rows on one core are made of.
namespace bench::hand {

/// Rank 0 does what `f` does, the others leave their cores alone. `f` gives its nanoseconds.
template <class F>
double one_core(const row_context& c, F f) {
  const double time = c.rank == 0 ? f() / double(c.iterations) : 0.0;
  c.sync_sleeping();
  return time;
}
template <class F>
double time_of(F f) {
  const std::uint64_t start = now_ns();
  f();
  return double(now_ns() - start);
}

/// The keys that one of two ranks has.
inline const std::vector<std::uint64_t>& keys_of_one(const row_context& c, keys kind) {
  return cached_keys(kind, {0, std::size_t(c.iterations)}, c.size);
}

}  // namespace bench::hand
