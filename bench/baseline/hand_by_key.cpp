// SPDX-License-Identifier: Apache-2.0
// Sums by key by hand: each of two threads has a table for each of them, into which it takes its half of the pairs; then each
// thread takes what the other one has for it.
#include <barrier>
#include <span>
#include <thread>
#include <vector>

#include "bench/baseline/by_one.hpp"
#include "bench/baseline/hand.hpp"
#include "bench/kernels/by_key.hpp"
#include "bench/kernels/local_table.hpp"

namespace bench::hand {
namespace {

constexpr int threads = 2;

// What is kept of a key's values; `add` brings one in, `join` all that another table has.

struct total {
  std::uint64_t sum = 0;
  void add(std::uint64_t value) { sum += value; }
  void join(const total& other) { sum += other.sum; }
  std::uint64_t in_all() const { return sum; }
};
struct several {
  summary all{0, ~std::uint64_t{0}, 0, 0};
  void add(std::uint64_t value) { all = all + summary::of(value); }
  void join(const several& other) { all = all + other.all; }
  std::uint64_t in_all() const { return all.sum; }
};
struct list_of {
  std::vector<std::uint64_t> values;
  void add(std::uint64_t value) { values.push_back(value); }
  void join(const list_of& other) { values.insert(values.end(), other.values.begin(), other.values.end()); }
  std::uint64_t in_all() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t value : values) sum += value;
    return sum;
  }
};

template <class Kept>
using kept_table = armilla::detail::hash_table<std::uint64_t, Kept, std::equal_to<>>;

template <class Kept>
Kept& kept_at(kept_table<Kept>& table, std::uint64_t key, std::uint64_t hash) {
  return table.template obtain<armilla::hash>(key, hash, [] { return Kept{}; }).place->second;
}

/// Searches stand some pairs ahead of what they find.
template <class Kept>
void take_in(std::span<const key_and_value> mine, kept_table<Kept> (&of_owner)[threads]) {
  constexpr std::size_t far = 16;
  const auto table_of = [&](std::uint64_t key) -> kept_table<Kept>& { return of_owner[owner_of(key, threads)]; };
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (i + far < mine.size()) {
      const std::uint64_t key = mine[i + far].first;
      table_of(key).prefetch(hash_of(key));
    }
    kept_at(table_of(mine[i].first), mine[i].first, hash_of(mine[i].first)).add(mine[i].second);
  }
}

/// Both threads' tables; the results lie in tables[r][r].
template <class Kept>
struct grouped {
  kept_table<Kept> tables[threads][threads];

  explicit grouped(const std::vector<key_and_value>& all) {
    std::barrier met(threads);
    const auto work = [&](std::size_t me) {
      const std::size_t first = all.size() * me / threads, end = all.size() * (me + 1) / threads;
      take_in(std::span(all).subspan(first, end - first), tables[me]);
      met.arrive_and_wait();
      kept_table<Kept>& mine = tables[me][me];
      for (auto& [key, kept] : tables[1 - me][me]) kept_at(mine, key, hash_of(key)).join(kept);
    };
    std::thread other([&] { pin_to(1), work(1); });
    work(0);
    other.join();
  }
  std::size_t size() const { return tables[0][0].size() + tables[1][1].size(); }
  std::uint64_t in_all() const {
    std::uint64_t sum = 0;
    for (const auto* const table : {&tables[0][0], &tables[1][1]})
      for (const auto& [key, kept] : *table) sum += kept.in_all();
    return sum;
  }
};

/// By rank 0 alone. The others sleep: their cores are free.
template <class Kept, keys kind, long keys_in_all>
double by_key(row_context& c) {
  std::atomic_ref<long> done(*c.scratch<long>());
  if (c.rank == 0) done = 0;
  c.sync();
  double time = 0;
  if (c.rank == 0) {
    const std::vector<key_and_value> all = pairs_to_group(kind, keys_in_all, 0, std::size_t(c.size));
    std::size_t keys_found = 0;
    {
      const grouped<Kept> first(all);  // to warm up
      verify(first.in_all() == sum_of_values(all.size()), "sums by key by hand");
      keys_found = first.size();
    }
    const std::uint64_t start = now_ns();
    for (long i = 0; i < c.iterations; ++i) verify(grouped<Kept>(all).size() == keys_found, "the number of keys by hand");
    time = double(now_ns() - start) / double(c.iterations);
    done = 1;
  }
  while (done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  c.sync();
  return time;
}

}  // namespace

void add_by_keys(row_table& rows) {
  using enum keys;
  rows.insert(rows.end(), {{"hand_reduce_by_key_10m", by_key<total, uniform, 10'000'000>},
                           {"hand_reduce_by_key_100k", by_key<total, uniform, 100'000>},
                           {"hand_reduce_by_key_100", by_key<total, uniform, 100>},
                           {"hand_reduce_by_key_zipf", by_key<total, zipf, 10'000'000>},
                           {"hand_summaries_by_key_10m", by_key<several, uniform, 10'000'000>},
                           {"hand_summaries_by_key_100k", by_key<several, uniform, 100'000>},
                           {"hand_summaries_by_key_100", by_key<several, uniform, 100>},
                           {"hand_summaries_by_key_zipf", by_key<several, zipf, 10'000'000>},
                           {"hand_group_by_10m", by_key<list_of, uniform, 10'000'000>},
                           {"hand_group_by_100k", by_key<list_of, uniform, 100'000>},
                           {"hand_group_by_100", by_key<list_of, uniform, 100>},
                           {"hand_group_by_zipf", by_key<list_of, zipf, 10'000'000>}});
}

}  // namespace bench::hand
