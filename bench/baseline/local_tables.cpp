// SPDX-License-Identifier: Apache-2.0
// The library's local tables on one core, which does what one of two ranks has to do: what containers could be at best.
#include "armilla/container/ordered_table.hpp"
#include "bench/baseline/hand.hpp"
#include "bench/baseline/one_core.hpp"
#include "bench/kernels/local_table.hpp"

namespace bench::hand {
namespace {

using words = std::vector<std::uint64_t>;

template <keys kind>
double table_update(row_context& c) {
  return one_core(c, [&] {
    const words& k = keys_of_one(c, kind);
    local_table table;
    const double time = time_of([&] { count_keys(table, k.data(), k.size()); });
    std::uint64_t sum = 0;
    for (const auto& [key, n] : table) sum += n;
    verify(sum == k.size(), "a table");
    return time;
  });
}
double table_insert(row_context& c) {
  return one_core(c, [&] {
    const words& k = keys_of_one(c, keys::distinct);
    local_table table;
    const double time = time_of([&] { insert_keys(table, k.data(), k.size()); });
    verify(table.size() == k.size(), "a table");
    return time;
  });
}
template <keys kind>
double table_find(row_context& c) {
  return one_core(c, [&] {
    const words& k = keys_of_one(c, kind);
    words all, found(k.size());
    for (long i = 0; i < c.size; ++i) all.push_back(random_bits(std::uint64_t(i)));
    local_table table;
    insert_keys(table, all.data(), all.size());
    const double time = time_of([&] { find_keys(table, k.data(), k.size(), found.data()); });
    verify(found == k, "a table");
    return time;
  });
}

using local_tree = armilla::detail::ordered_table<std::uint64_t, std::uint64_t, std::less<>>;

void insert_keys(local_tree& table, const words& keys) {
  for (const std::uint64_t key : keys) table.obtain<armilla::hash>(key, 0, [key] { return key; });
}
double tree_insert(row_context& c) {
  return one_core(c, [&] {
    const words& k = keys_of_one(c, keys::distinct);
    local_tree table;
    const double time = time_of([&] { insert_keys(table, k); });
    verify(table.size() == k.size(), "a B-tree");
    return time;
  });
}
double tree_find(row_context& c) {
  return one_core(c, [&] {
    const words& k = keys_of_one(c, keys::distinct);
    local_tree table;
    insert_keys(table, k);
    std::size_t found = 0;
    const double time = time_of([&] {
      for (const std::uint64_t key : k) found += table.find(key)->second == key;
    });
    verify(found == k.size(), "a B-tree");
    return time;
  });
}

}  // namespace

void add_local_tables(row_table& rows) {
  rows.insert(rows.end(), {{"table_update", table_update<keys::uniform>},
                           {"table_update_zipf", table_update<keys::zipf>},
                           {"table_insert", table_insert},
                           {"table_find", table_find<keys::uniform>},
                           {"table_find_zipf", table_find<keys::zipf>},
                           {"tree_insert", tree_insert},
                           {"tree_find", tree_find}});
}

}  // namespace bench::hand
