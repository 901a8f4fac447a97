// SPDX-License-Identifier: Apache-2.0
// Abseil's tables on one core, beside which the local tables stand.
#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include "bench/baseline/hand.hpp"
#include "bench/baseline/one_core.hpp"

namespace bench::hand {
namespace {

struct by_hash {
  using table = absl::flat_hash_map<std::uint64_t, std::uint64_t>;
  static void count(table& t, const std::uint64_t* key, std::size_t n) {
    each_ahead(t, key, n, [&](std::size_t i) { ++t[key[i]]; });
  }
  static void insert(table& t, const std::uint64_t* key, std::size_t n) {
    each_ahead(t, key, n, [&](std::size_t i) { t.emplace(key[i], key[i]); });
  }
  static void find(const table& t, const std::uint64_t* key, std::size_t n, std::uint64_t* into) {
    each_ahead(t, key, n, [&](std::size_t i) {
      const auto there = t.find(key[i]);
      into[i] = there == t.end() ? 0 : there->second;
    });
  }

 private:
  /// f(i) for all; the table is told of each key some keys ahead.
  template <class F>
  static void each_ahead(const table& t, const std::uint64_t* key, std::size_t n, F f) {
    constexpr std::size_t far = 16;
    for (std::size_t i = 0; i < n; ++i) {
      if (i + far < n) t.prefetch(key[i + far]);
      f(i);
    }
  }
};

struct by_order {
  using table = absl::btree_map<std::uint64_t, std::uint64_t>;
  static void insert(table& t, const std::uint64_t* key, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) t.emplace(key[i], key[i]);
  }
  static void find(const table& t, const std::uint64_t* key, std::size_t n, std::uint64_t* into) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto there = t.find(key[i]);
      into[i] = there == t.end() ? 0 : there->second;
    }
  }
};

}  // namespace

void add_abseil(row_table& rows) {
  rows.insert(rows.end(), {{"absl_hash_update", count_in_table<by_hash, keys::uniform>},
                           {"absl_hash_update_zipf", count_in_table<by_hash, keys::zipf>},
                           {"absl_hash_insert", insert_into_table<by_hash>},
                           {"absl_hash_find", find_in_table<by_hash, keys::uniform>},
                           {"absl_hash_find_zipf", find_in_table<by_hash, keys::zipf>},
                           {"absl_btree_insert", insert_into_table<by_order>},
                           {"absl_btree_find", find_in_table<by_order, keys::distinct>}});
}

}  // namespace bench::hand
