// SPDX-License-Identifier: Apache-2.0
// Sorts and selections of suites algorithms and order by the parallel mode of libstdc++, on two threads.
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <parallel/algorithm>

#include "bench/baseline/by_one.hpp"
#include "bench/baseline/hand.hpp"
#include "bench/kernels/keys.hpp"

namespace bench::hand {
namespace {

using number = std::uint32_t;

constexpr int threads = 2;
constexpr auto by_first = [](const auto& a, const auto& b) { return a.first < b.first; };

/// Gives each thread of rank 0 a core: the other rank sleeps.
void use_both_cores(const row_context& c) {
  if (c.rank != 0) return;
  omp_set_num_threads(threads);
#pragma omp parallel
  pin_to(omp_get_thread_num());
}

template <class T, std::vector<T> make(std::size_t, std::size_t)>
double sort(row_context& c) {
  use_both_cores(c);
  return by_one<T>(c, make, [](std::vector<T>& data) { __gnu_parallel::sort(data.begin(), data.end()); });
}

double stable_sort(row_context& c) {
  use_both_cores(c);
  return by_one<keyed>(c, &keyed_keys, [](std::vector<keyed>& data) { __gnu_parallel::stable_sort(data.begin(), data.end()); });
}

/// Pairs of key and value are made, sorted, and taken apart.
template <class Value>
double sort_in_pairs(row_context& c) {
  use_both_cores(c);
  const auto n = std::size_t(c.size);
  std::vector<Value> values(n);
  std::vector<std::pair<number, Value>> both(n);
  return by_one<number>(c, &uniform_keys<number>, [&](std::vector<number>& keys) {
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i) both[i] = {keys[i], Value(i)};
    __gnu_parallel::stable_sort(both.begin(), both.end(), by_first);
#pragma omp parallel for
    for (std::size_t i = 0; i < n; ++i) keys[i] = both[i].first, values[i] = both[i].second;
  });
}

bool is_median(const std::vector<number>& data) {
  const auto middle = data.begin() + std::ptrdiff_t(data.size() / 2);
  return std::all_of(data.begin(), middle, [&](number e) { return e <= *middle; }) &&
         std::all_of(middle, data.end(), [&](number e) { return e >= *middle; });
}
double nth_element(row_context& c) {
  use_both_cores(c);
  return by_one<number>(
      c, &uniform_keys<number>,
      [](std::vector<number>& data) {
        __gnu_parallel::nth_element(data.begin(), data.begin() + std::ptrdiff_t(data.size() / 2), data.end());
      },
      is_median);
}
double nth_element_alone(row_context& c) {
  return by_one<number>(
      c, &uniform_keys<number>,
      [](std::vector<number>& data) {
        std::nth_element(data.begin(), data.begin() + std::ptrdiff_t(data.size() / 2), data.end());
      },
      is_median);
}

/// Each thread has the greatest of its half.
double top_k(row_context& c) {
  use_both_cores(c);
  constexpr std::size_t k = 100;
  std::vector<number> best(threads * k);
  return by_one<number>(
      c, &uniform_keys<number>,
      [&](std::vector<number>& data) {
        const std::size_t half = data.size() / threads;
#pragma omp parallel
        {
          const auto me = std::size_t(omp_get_thread_num());
          const auto to = best.begin() + std::ptrdiff_t(me * k);
          const auto from = data.begin() + std::ptrdiff_t(me * half);
          std::partial_sort_copy(from, from + std::ptrdiff_t(half), to, to + k, std::greater<>{});
        }
        std::sort(best.begin(), best.end(), std::greater<>{});
      },
      [&](const std::vector<number>& data) {
        return best.front() == *std::max_element(data.begin(), data.end()) &&
               std::size_t(std::count_if(data.begin(), data.end(), [&](number e) { return e > best[k - 1]; })) < k;
      });
}

}  // namespace

void add_gnu_orders(row_table& rows) {
  rows.insert(rows.end(), {{"gnu_sort_pairs", sort<keyed, keyed_keys>},
                           {"gnu_sort_letters", sort<letters, letter_keys>},
                           {"gnu_stable_sort", stable_sort},
                           {"gnu_sort_by_key", sort_in_pairs<number>},
                           {"gnu_argsort", sort_in_pairs<std::size_t>},
                           {"gnu_nth_element", nth_element},
                           {"std_nth_element", nth_element_alone},
                           {"hand_top_k", top_k}});
}

}  // namespace bench::hand
