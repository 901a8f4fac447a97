// SPDX-License-Identifier: Apache-2.0
// Of element_types_test.cpp's program: sorts, merges, operations on sets and bounds.
#include "armilla/algorithm/element_types_test.hpp"

namespace element_types_test {

template <class T>
void check_sorts(ranges<T>& r) {
  const std::size_t n = r.a.size();
  const auto at = [](auto& e, std::size_t i) { return e.begin() + std::ptrdiff_t(i); };
  r.expect_changed([](auto& z) { return am::sort(z), 0; }, [](auto& e) { return std::ranges::sort(e), 0; });
  r.expect_changed([](auto& z) { return am::stable_sort(z, coarsely_less()), 0; },
                   [](auto& e) { return std::stable_sort(e.begin(), e.end(), coarsely_less()), 0; });
  std::vector<T> sorted = r.a;
  std::ranges::sort(sorted);
  if (n > 0) {
    const std::size_t k = r.d.below(n);
    am::vector<T> z = r.dealt(r.a);
    am::nth_element(z, k);
    std::vector<T> all = elements_of(z);
    EXPECT(all[k] == sorted[k] && std::none_of(all.begin(), at(all, k), [&](const T& e) { return all[k] < e; }));
    std::ranges::sort(all);
    EXPECT(all == sorted);
  }
  am::vector<T> keys = r.dealt(r.a), values = r.out();
  am::copy(r.y, values);
  am::sort_by_key(keys, values, coarsely_less());
  std::vector<std::size_t> order(n);
  for (std::size_t i = 0; i < n; ++i) order[i] = i;
  std::ranges::stable_sort(order, coarsely_less(), [&](std::size_t i) -> const T& { return r.a[i]; });
  std::vector<T> companions(n);
  for (std::size_t i = 0; i < n; ++i) companions[i] = r.b[order[i]];
  EXPECT(elements_of(values) == companions);
}

/// `algorithm(z)` gives how many elements it has written, and these are what `by_standard(back_inserter)` appends.
template <class T, class Algorithm, class Standard>
void expect_set(ranges<T>& r, Algorithm algorithm, Standard by_standard) {
  std::vector<T> expected;
  by_standard(std::back_inserter(expected));
  am::vector<T> z = r.out(2 * r.a.size());
  EXPECT_EQ(algorithm(z), expected.size());
  expected.resize(z.size());
  EXPECT(elements_of(z) == expected);
}

template <class T>
void check_sets(ranges<T>& r) {
  const coarsely_less less;
  std::vector<T> a = r.a, b = r.b;
  std::ranges::stable_sort(a, less);
  std::ranges::stable_sort(b, less);
  const am::vector<T> x = r.dealt(a), y = r.dealt(b);
  expect_set(
      r, [&](auto& z) { return am::merge(x, y, z, less), z.size(); }, [&](auto to) { std::ranges::merge(a, b, to, less); });
  expect_set(r, [&](auto& z) { return am::set_union(x, y, z, less); }, [&](auto to) { std::ranges::set_union(a, b, to, less); });
  expect_set(
      r, [&](auto& z) { return am::set_intersection(x, y, z, less); },
      [&](auto to) { std::ranges::set_intersection(a, b, to, less); });
  expect_set(
      r, [&](auto& z) { return am::set_symmetric_difference(x, y, z, less); },
      [&](auto to) { std::ranges::set_symmetric_difference(a, b, to, less); });
  EXPECT_EQ(am::includes(x, y, less), std::ranges::includes(a, b, less));
  EXPECT(am::includes(x, am::views::take(x, r.d.below(a.size() + 1)), less));
  const T some = drawn<T>(r.d);
  const auto [first, end] = std::ranges::equal_range(a, some, less);
  EXPECT(am::equal_range(x, some, less) == std::pair(std::size_t(first - a.begin()), std::size_t(end - a.begin())));
  EXPECT_EQ(am::is_sorted(r.x, less), std::ranges::is_sorted(r.a, less));
  std::vector<T> both = a;
  both.insert(both.end(), b.begin(), b.end());
  am::vector<T> z = r.dealt(both);
  am::inplace_merge(z, a.size(), less);
  std::inplace_merge(both.begin(), both.begin() + std::ptrdiff_t(a.size()), both.end(), less);
  EXPECT(elements_of(z) == both);
}

#if ARMILLA_TEST_ALL_TYPES
template void check_sorts(ranges<std::int8_t>&);
#endif
template void check_sorts(ranges<record>&);
template void check_sorts(ranges<std::string>&);
#if ARMILLA_TEST_ALL_TYPES
template void check_sets(ranges<std::int8_t>&);
#endif
template void check_sets(ranges<record>&);
template void check_sets(ranges<std::string>&);

}  // namespace element_types_test
