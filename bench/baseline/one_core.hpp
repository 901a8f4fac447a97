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

// Rows of a table alone: what one of two ranks has to do. `Use` names the `table`, and uses it as well as it can be, for n keys
// in a row: `count` adds one to each, `insert` brings each in with itself as its value, `find` writes their values into a row, 0
// for none.

template <class Use, keys kind>
double count_in_table(row_context& c) {
  return one_core(c, [&] {
    const std::vector<std::uint64_t>& k = keys_of_one(c, kind);
    typename Use::table table;
    const double time = time_of([&] { Use::count(table, k.data(), k.size()); });
    std::uint64_t sum = 0;
    for (const auto& [key, n] : table) sum += n;
    verify(sum == k.size(), "what a table has counted");
    return time;
  });
}
template <class Use>
double insert_into_table(row_context& c) {
  return one_core(c, [&] {
    const std::vector<std::uint64_t>& k = keys_of_one(c, keys::distinct);
    typename Use::table table;
    const double time = time_of([&] { Use::insert(table, k.data(), k.size()); });
    verify(table.size() == k.size(), "the size of a table");
    return time;
  });
}
/// All keys that there can be are in the table.
template <class Use, keys kind>
double find_in_table(row_context& c) {
  return one_core(c, [&] {
    const std::vector<std::uint64_t>& k = keys_of_one(c, kind);
    std::vector<std::uint64_t> all, found(k.size());
    for (long i = 0; i < c.size; ++i) all.push_back(random_bits(std::uint64_t(i)));
    typename Use::table table;
    Use::insert(table, all.data(), all.size());
    const double time = time_of([&] { Use::find(table, k.data(), k.size(), found.data()); });
    verify(found == k, "what a table has found");
    return time;
  });
}

}  // namespace bench::hand
