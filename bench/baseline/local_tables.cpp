// SPDX-License-Identifier: Apache-2.0
// The library's local tables on one core: what containers could be at best.
#include "armilla/container/keyed/ordered_table.hpp"
#include "bench/baseline/hand.hpp"
#include "bench/baseline/one_core.hpp"
#include "bench/kernels/local_table.hpp"

namespace bench::hand {
namespace {

struct by_hash {
  using table = local_table;
  static void count(table& t, const std::uint64_t* key, std::size_t n) { count_keys(t, key, n); }
  static void insert(table& t, const std::uint64_t* key, std::size_t n) { insert_keys(t, key, n); }
  static void find(const table& t, const std::uint64_t* key, std::size_t n, std::uint64_t* into) { find_keys(t, key, n, into); }
};

struct by_order {
  using table = armilla::detail::ordered_table<std::uint64_t, std::uint64_t, std::less<>>;
  static void insert(table& t, const std::uint64_t* key, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) t.obtain<armilla::hash>(key[i], 0, [&] { return key[i]; });
  }
  static void find(const table& t, const std::uint64_t* key, std::size_t n, std::uint64_t* into) {
    for (std::size_t i = 0; i < n; ++i) {
      const auto* const there = t.find(key[i]);
      into[i] = there == nullptr ? 0 : there->second;
    }
  }
};

}  // namespace

void add_local_tables(row_table& rows) {
  rows.insert(rows.end(), {{"table_update", count_in_table<by_hash, keys::uniform>},
                           {"table_update_zipf", count_in_table<by_hash, keys::zipf>},
                           {"table_insert", insert_into_table<by_hash>},
                           {"table_find", find_in_table<by_hash, keys::uniform>},
                           {"table_find_zipf", find_in_table<by_hash, keys::zipf>},
                           {"tree_insert", insert_into_table<by_order>},
                           {"tree_find", find_in_table<by_order, keys::distinct>}});
}

}  // namespace bench::hand
