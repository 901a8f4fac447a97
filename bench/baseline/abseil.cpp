// SPDX-License-Identifier: Apache-2.0
// Abseil's tables on one core, used as the local tables are: what one of two ranks has to do.
#include <absl/container/btree_map.h>
#include <absl/container/flat_hash_map.h>

#include "bench/baseline/hand.hpp"
#include "bench/baseline/one_core.hpp"

namespace bench::hand {
namespace {

using words = std::vector<std::uint64_t>;
using hashed = absl::flat_hash_map<std::uint64_t, std::uint64_t>;
using ordered = absl::btree_map<std::uint64_t, std::uint64_t>;

/// f(key) for all; the table is told of each some keys ahead.
template <class F>
void each_ahead(const hashed& table, const words& keys, F f) {
  constexpr std::size_t far = 16;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i + far < keys.size()) table.prefetch(keys[i + far]);
    f(keys[i]);
  }
}

template <keys kind>
double hash_update(row_context& c) {
  return one_core(c, [&] {
    const words& k = keys_of_one(c, kind);
    hashed table;
    const double time = time_of([&] { each_ahead(table, k, [&](std::uint64_t key) { ++table[key]; }); });
    std::uint64_t sum = 0;
    for (const auto& [key, n] : table) sum += n;
    verify(sum == k.size(), "a table of Abseil");
    return time;
  });
}
double hash_insert(row_context& c) {
  return one_core(c, [&] {
    const words& k = keys_of_one(c, keys::distinct);
    hashed table;
    const double time = time_of([&] { each_ahead(table, k, [&](std::uint64_t key) { table.emplace(key, key); }); });
    verify(table.size() == k.size(), "a table of Abseil");
    return time;
  });
}
template <keys kind>
double hash_find(row_context& c) {
  return one_core(c, [&] {
    const words& k = keys_of_one(c, kind);
    words found(k.size());
    hashed table;
    for (long i = 0; i < c.size; ++i) table.emplace(random_bits(std::uint64_t(i)), random_bits(std::uint64_t(i)));
    const double time = time_of([&] {
      std::uint64_t* to = found.data();
      each_ahead(table, k, [&](std::uint64_t key) {
        const auto there = table.find(key);
        *to++ = there == table.end() ? 0 : there->second;
      });
    });
    verify(found == k, "a table of Abseil");
    return time;
  });
}

double btree_insert(row_context& c) {
  return one_core(c, [&] {
    const words& k = keys_of_one(c, keys::distinct);
    ordered table;
    const double time = time_of([&] {
      for (const std::uint64_t key : k) table.emplace(key, key);
    });
    verify(table.size() == k.size(), "a B-tree of Abseil");
    return time;
  });
}
double btree_find(row_context& c) {
  return one_core(c, [&] {
    const words& k = keys_of_one(c, keys::distinct);
    ordered table;
    for (const std::uint64_t key : k) table.emplace(key, key);
    std::size_t found = 0;
    const double time = time_of([&] {
      for (const std::uint64_t key : k) found += table.find(key)->second == key;
    });
    verify(found == k.size(), "a B-tree of Abseil");
    return time;
  });
}

}  // namespace

void add_abseil(row_table& rows) {
  rows.insert(rows.end(), {{"absl_hash_update", hash_update<keys::uniform>},
                           {"absl_hash_update_zipf", hash_update<keys::zipf>},
                           {"absl_hash_insert", hash_insert},
                           {"absl_hash_find", hash_find<keys::uniform>},
                           {"absl_hash_find_zipf", hash_find<keys::zipf>},
                           {"absl_btree_insert", btree_insert},
                           {"absl_btree_find", btree_find}});
}

}  // namespace bench::hand
