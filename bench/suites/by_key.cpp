// SPDX-License-Identifier: Apache-2.0
// Sums by key: `size` pairs on all ranks together, each its part of them in a std::vector.
#include "bench/kernels/by_key.hpp"

#include <armilla/algorithms.hpp>

#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

using pairs = std::vector<key_and_value>;

std::uint64_t sum_in(std::uint64_t sum) { return sum; }
std::uint64_t sum_in(const summary& s) { return s.sum; }
std::uint64_t sum_in(const std::vector<std::uint64_t>& values) {
  std::uint64_t sum = 0;
  for (const std::uint64_t value : values) sum += value;
  return sum;
}

/// Nanoseconds of `work(pairs)`, which gives a map whose values are added up to check it. The map is dropped within the time, as
/// it is by hand.
template <keys kind, long keys_in_all, class Work>
double by_key(const row_context& c, Work work) {
  const auto n = std::size_t(c.size), first = n * std::size_t(c.rank) / std::size_t(c.ranks),
             end = n * std::size_t(c.rank + 1) / std::size_t(c.ranks);
  const pairs mine = pairs_to_group(kind, keys_in_all, first, end - first);
  const auto all = work(mine);  // to warm up
  std::uint64_t sum = 0;
  for (const auto& [key, value] : all.local()) sum += sum_in(value);
  verify(am::all_reduce(sum, std::plus<>{}) == sum_of_values(n), "sums by key");
  am::barrier();
  const std::uint64_t start = now_ns();
  for (long i = 0; i < c.iterations; ++i) verify(work(mine).size() == all.size(), "the number of keys");
  am::barrier();
  return double(now_ns() - start) / double(c.iterations);
}

template <keys kind, long keys_in_all>
double sums(row_context& c) {
  return by_key<kind, keys_in_all>(c, [](const pairs& mine) { return am::reduce_by_key(mine, std::plus<>{}); });
}
template <keys kind, long keys_in_all>
double summaries(row_context& c) {
  return by_key<kind, keys_in_all>(c, [](const pairs& mine) {
    return am::reduce_by_key(
        mine, std::plus<>{}, [](const key_and_value& e) { return e.first; },
        [](const key_and_value& e) { return summary::of(e.second); });
  });
}
template <keys kind, long keys_in_all>
double groups(row_context& c) {
  return by_key<kind, keys_in_all>(c, [](const pairs& mine) { return am::group_by(mine); });
}

}  // namespace

void add_by_keys(row_table& rows) {
  using enum keys;
  rows.insert(rows.end(), {{"reduce_by_key_10m", sums<uniform, 10'000'000>},
                           {"reduce_by_key_100k", sums<uniform, 100'000>},
                           {"reduce_by_key_100", sums<uniform, 100>},
                           {"reduce_by_key_zipf", sums<zipf, 10'000'000>},
                           {"summaries_by_key_10m", summaries<uniform, 10'000'000>},
                           {"summaries_by_key_100k", summaries<uniform, 100'000>},
                           {"summaries_by_key_100", summaries<uniform, 100>},
                           {"summaries_by_key_zipf", summaries<zipf, 10'000'000>},
                           {"group_by_10m", groups<uniform, 10'000'000>},
                           {"group_by_100k", groups<uniform, 100'000>},
                           {"group_by_100", groups<uniform, 100>},
                           {"group_by_zipf", groups<zipf, 10'000'000>}});
}

}  // namespace bench::suites
