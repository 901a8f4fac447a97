// SPDX-License-Identifier: Apache-2.0
// Algorithms that order `size` elements, of all ranks together, the same elements each time.
#include <algorithm>
#include <cstdint>
#include <vector>

#include <armilla/algorithms.hpp>

#include "bench/kernels/keys.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

namespace am = armilla;

using number = std::uint32_t;

std::size_t elements(const row_context& c) { return std::size_t(c.size); }

template <class T>
am::vector<T> filled(const row_context& c, std::vector<T> (*make)(std::size_t, std::size_t),
                     const am::distribution& how = am::blocks()) {
  am::vector<T> x(elements(c), how);
  const std::vector<T> mine = make(x.local().empty() ? 0 : x.index_of_local(0), x.local().size());
  std::copy(mine.begin(), mine.end(), x.local().begin());
  return x;
}

/// Nanoseconds of `work(x)`.
template <class T, class Work>
double of_copies(const row_context& c, const am::vector<T>& keys, am::vector<T>& x, Work work) {
  double sum = 0;
  for (long i = -1; i < c.iterations; ++i) {  // one to warm up
    am::copy(keys, x);
    const std::uint64_t start = now_ns();
    work(x);
    if (i >= 0) sum += double(now_ns() - start);
  }
  return sum / double(c.iterations);
}

template <class T>
double sorted(const row_context& c, const am::vector<T>& keys) {
  am::vector<T> x = keys.like();
  const double time = of_copies(c, keys, x, [](auto& all) { am::sort(all); });
  verify(am::is_sorted(x), "sort");
  return time;
}
template <class T, std::vector<T> make(std::size_t, std::size_t)>
double sort(row_context& c) {
  return sorted(c, filled<T>(c, make));
}
/// All elements lie on rank 0, before and after.
double sort_ragged(row_context& c) {
  std::vector<std::size_t> sizes(std::size_t(c.ranks), 0);
  sizes.front() = elements(c);
  return sorted(c, filled<number>(c, uniform_keys<number>, am::blocks(sizes)));
}

/// By the key, as the comparator of the others says.
double stable_sort(row_context& c) {
  const am::vector<keyed> keys = filled<keyed>(c, keyed_keys);
  am::vector<keyed> x = keys.like();
  const double time = of_copies(c, keys, x, [](auto& all) { am::stable_sort(all, {}, &keyed::key); });
  verify(am::is_sorted(x), "stable_sort");
  return time;
}

double sort_by_key(row_context& c) {
  const am::vector<number> keys = filled<number>(c, uniform_keys<number>);
  am::vector<number> x = keys.like(), values = keys.like();
  am::for_each_index(values, [](std::size_t i, number& e) { e = number(i); });
  const double time = of_copies(c, keys, x, [&](auto& all) { am::sort_by_key(all, values); });
  verify(am::is_sorted(x), "sort_by_key");
  return time;
}

double argsort(row_context& c) {
  const am::vector<number> keys = filled<number>(c, uniform_keys<number>);
  am::vector<number> x = keys.like(), sorted = keys.like();
  const double time = of_copies(c, keys, x, [](auto& all) { am::argsort(all); });
  am::gather(x, am::argsort(x).local(), sorted.local());
  am::barrier();
  verify(am::is_sorted(sorted), "argsort");
  return time;
}

double nth_element(row_context& c) {
  const am::vector<number> keys = filled<number>(c, uniform_keys<number>);
  am::vector<number> x = keys.like();
  const std::size_t middle = elements(c) / 2;
  const double time = of_copies(c, keys, x, [middle](auto& all) { am::nth_element(all, middle); });
  const number median = x[middle];
  verify(am::all_of(am::views::take(x, middle), [median](number e) { return e <= median; }) &&
             am::all_of(am::views::drop(x, middle), [median](number e) { return e >= median; }),
         "nth_element");
  return time;
}

double top_k(row_context& c) {
  const am::vector<number> x = filled<number>(c, uniform_keys<number>);
  am::vector<number> copy = x.like();
  number greatest = 0;
  const double time = of_copies(c, x, copy, [&greatest](auto& all) { greatest = am::top_k(all, 100).front().second; });
  verify(greatest == am::max(x), "top_k");
  return time;
}

}  // namespace

void add_orders(row_table& rows) {
  rows.insert(rows.end(), {{"sort_log_uniform", sort<number, log_uniform_keys>},
                           {"sort_letters", sort<letters, letter_keys>},
                           {"sort_few", sort<number, few_keys>},
                           {"sort_half_equal", sort<number, half_equal_keys>},
                           {"sort_sorted", sort<number, rising_keys>},
                           {"sort_reversed", sort<number, falling_keys>},
                           {"sort_ragged", sort_ragged},
                           {"stable_sort", stable_sort},
                           {"sort_by_key", sort_by_key},
                           {"argsort", argsort},
                           {"nth_element", nth_element},
                           {"top_k", top_k}});
}

}  // namespace bench::suites
