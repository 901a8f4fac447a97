// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <functional>
#include <vector>

#include "armilla/container/keyed/hash_table.hpp"
#include "armilla/hash.hpp"
#include "bench/kernels/containers.hpp"

/// One rank's table alone, used as well as it can be: searches stand some keys ahead of what they find.
namespace bench {

using local_table = armilla::detail::hash_table<std::uint64_t, std::uint64_t, std::equal_to<>>;
inline std::uint64_t hash_of(std::uint64_t key) { return armilla::hash{}(key); }
/// High bits: the table takes the low ones.
inline int owner_of(std::uint64_t key, int ranks) { return int((hash_of(key) >> 32) * std::uint64_t(ranks) >> 32); }

/// Calls f(key, hash) for each, behind a hint.
template <class F>
void each_ahead(const local_table& table, const std::uint64_t* key, std::size_t n, F f) {
  constexpr std::size_t far = 16;
  for (std::size_t i = 0; i < std::min(n, far); ++i) table.prefetch(hash_of(key[i]));
  for (std::size_t i = 0; i < n; ++i) {
    if (i + far < n) table.prefetch(hash_of(key[i + far]));
    f(key[i], hash_of(key[i]));
  }
}

inline void count_keys(local_table& table, const std::uint64_t* key, std::size_t n) {
  each_ahead(table, key, n, [&](std::uint64_t k, std::uint64_t hash) {
    ++table.obtain<armilla::hash>(k, hash, [] { return std::uint64_t{0}; }).place->second;
  });
}
inline void insert_keys(local_table& table, const std::uint64_t* key, std::size_t n) {
  each_ahead(table, key, n,
             [&](std::uint64_t k, std::uint64_t hash) { table.obtain<armilla::hash>(k, hash, [k] { return k; }); });
}
/// 0 for those that are not there.
inline void find_keys(const local_table& table, const std::uint64_t* key, std::size_t n, std::uint64_t* into) {
  each_ahead(table, key, n, [&](std::uint64_t k, std::uint64_t hash) {
    const auto* const there = table.find(k, hash);
    *into++ = there == nullptr ? 0 : there->second;
  });
}

}  // namespace bench
