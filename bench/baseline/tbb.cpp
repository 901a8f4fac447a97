// SPDX-License-Identifier: Apache-2.0
// Scans, compactions and sorts by TBB on two threads: the standard's parallel algorithms, which stand on it, and its own sort.
#include <algorithm>
#include <cstdint>
#include <execution>
#include <numeric>
#include <utility>
#include <vector>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include "bench/baseline/by_one.hpp"
#include "bench/baseline/hand.hpp"
#include "bench/kernels/keys.hpp"

namespace bench::hand {
namespace {

using number = std::uint32_t;

/// Both cores, and a thread for each.
class two_of_tbb {
 public:
  explicit two_of_tbb(const row_context& c) : cores_(c) {}

 private:
  both_cores cores_;
  tbb::global_control threads_{tbb::global_control::max_allowed_parallelism, 2};
};

template <class T>
std::vector<T> ones(std::size_t, std::size_t n) {
  return std::vector<T>(n, T(1));
}
std::vector<number> zeros_and_ones(std::size_t first, std::size_t n) {
  std::vector<number> keys = uniform_keys<number>(first, n);
  for (number& e : keys) e %= 2;
  return keys;
}
bool odd(number e) { return e % 2 != 0; }

template <class T>
double inclusive_scan(row_context& c) {
  const two_of_tbb use(c);
  std::vector<T> y(c.rank == 0 ? std::size_t(c.size) : 0);
  return by_one<T>(
      c, &ones<T>, [&](const std::vector<T>& x) { std::inclusive_scan(std::execution::par, x.begin(), x.end(), y.begin()); },
      [&](const std::vector<T>&) { return y.back() == T(c.size) && y[y.size() / 3] == T(y.size() / 3 + 1); });
}

/// `work(x, y, z)` gives the number of elements in y, which are all as `wanted` says.
template <class Work, class Wanted>
double compaction(const row_context& c, std::vector<number> (*make)(std::size_t, std::size_t), Work work, Wanted wanted) {
  const two_of_tbb use(c);
  const std::size_t n = c.rank == 0 ? std::size_t(c.size) : 0;
  std::vector<number> y(n), z(n);
  std::size_t found = 0;
  return by_one<number>(
      c, make, [&](const std::vector<number>& x) { found = work(x, y, z); },
      [&](const std::vector<number>& x) { return found > x.size() / 3 && found < x.size() && wanted(y, found); });
}

bool all_odd(const std::vector<number>& y, std::size_t n) { return std::all_of(y.begin(), y.begin() + std::ptrdiff_t(n), odd); }
bool no_doubles(const std::vector<number>& y, std::size_t n) {
  const auto end = y.begin() + std::ptrdiff_t(n);
  return std::adjacent_find(y.begin(), end) == end;
}

using numbers = std::vector<number>;

double copy_if(row_context& c) {
  return compaction(
      c, &uniform_keys<number>,
      [](const numbers& x, numbers& y, numbers&) {
        return std::size_t(std::copy_if(std::execution::par, x.begin(), x.end(), y.begin(), odd) - y.begin());
      },
      all_odd);
}
double unique_copy(row_context& c) {
  return compaction(
      c, &zeros_and_ones,
      [](const numbers& x, numbers& y, numbers&) {
        return std::size_t(std::unique_copy(std::execution::par, x.begin(), x.end(), y.begin()) - y.begin());
      },
      no_doubles);
}
double partition_copy(row_context& c) {
  return compaction(
      c, &uniform_keys<number>,
      [](const numbers& x, numbers& y, numbers& z) {
        return std::size_t(std::partition_copy(std::execution::par, x.begin(), x.end(), y.begin(), z.begin(), odd).first -
                           y.begin());
      },
      all_odd);
}

template <class T, std::vector<T> make(std::size_t, std::size_t)>
double sort(row_context& c) {
  const two_of_tbb use(c);
  return by_one<T>(c, make, [](std::vector<T>& data) { tbb::parallel_sort(data.begin(), data.end()); });
}
double stable_sort(row_context& c) {
  const two_of_tbb use(c);
  return by_one<keyed>(c, &keyed_keys,
                       [](std::vector<keyed>& data) { std::stable_sort(std::execution::par, data.begin(), data.end()); });
}

/// Pairs of key and value are made, sorted, and taken apart.
template <class Value>
double sort_in_pairs(row_context& c) {
  const two_of_tbb use(c);
  const std::size_t n = c.rank == 0 ? std::size_t(c.size) : 0;
  std::vector<Value> values(n);
  std::vector<std::pair<number, Value>> both(n);
  return by_one<number>(c, &uniform_keys<number>, [&](numbers& keys) {
    tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) { both[i] = {keys[i], Value(i)}; });
    std::stable_sort(std::execution::par, both.begin(), both.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) { keys[i] = both[i].first, values[i] = both[i].second; });
  });
}

}  // namespace

void add_tbb(row_table& rows) {
  rows.insert(rows.end(), {{"tbb_inclusive_scan", inclusive_scan<double>},
                           {"tbb_inclusive_scan_int32", inclusive_scan<std::int32_t>},
                           {"tbb_copy_if", copy_if},
                           {"tbb_unique_copy", unique_copy},
                           {"tbb_partition_copy", partition_copy},
                           {"tbb_sort_pairs", sort<keyed, keyed_keys>},
                           {"tbb_sort_letters", sort<letters, letter_keys>},
                           {"tbb_stable_sort", stable_sort},
                           {"tbb_sort_by_key", sort_in_pairs<number>},
                           {"tbb_argsort", sort_in_pairs<std::size_t>}});
}

}  // namespace bench::hand
