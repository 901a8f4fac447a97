// SPDX-License-Identifier: Apache-2.0
// Algorithms over bytes, numbers, records and texts, however they are dealt, against those of the standard. In the environment,
// PRODUCT: each type with each way to deal inputs and outputs and several sizes, in place of a few drawn ones.
// ARMILLA_TEST_ALL_TYPES is 0 in
// ./check, which takes the types that differ most: other tests go over bytes and numbers.
#include "armilla/algorithm/element_types_test.hpp"

#include <cstdlib>
#include <numeric>

namespace element_types_test {

template <class T>
void check_elementwise(ranges<T>& r) {
  r.expect_written([&](auto& z) { am::transform(r.x, z, changed<T>); },
                   [&](auto& e) { std::ranges::transform(r.a, e.begin(), changed<T>); });
  r.expect_written([&](auto& z) { am::transform(r.x, r.y, z, joined()); },
                   [&](auto& e) { std::ranges::transform(r.a, r.b, e.begin(), joined()); });
  r.expect_written([&](auto& z) { am::copy(r.x, z); }, [&](auto& e) { e = r.a; });
  const T some = drawn<T>(r.d);
  r.expect_written([&](auto& z) { am::fill(am::views::drop(z, z.size() / 2), some); },
                   [&](auto& e) { std::fill(e.begin() + std::ptrdiff_t(e.size() / 2), e.end(), some); });
  am::vector<T> u = r.dealt(r.a), v = r.out();
  am::copy(r.y, v);
  am::swap_ranges(u, v);
  EXPECT(elements_of(u) == r.b && elements_of(v) == r.a);
}

template <class T>
void check_folds(ranges<T>& r) {
  const T first = drawn<T>(r.d);
  EXPECT(am::reduce(r.x, first, mixed()) == std::reduce(r.a.begin(), r.a.end(), first, mixed()));
  EXPECT(am::accumulate(r.x, first, joined()) == std::accumulate(r.a.begin(), r.a.end(), first, joined()));
  EXPECT(am::transform_reduce(r.x, r.y, first, mixed(), joined()) ==
         std::transform_reduce(r.a.begin(), r.a.end(), r.b.begin(), first, mixed(), joined()));
  if (r.a.empty()) return;
  EXPECT_EQ(am::min_element(r.x), std::size_t(std::ranges::min_element(r.a) - r.a.begin()));
  EXPECT_EQ(am::max_element(r.x, coarsely_less()), std::size_t(std::ranges::max_element(r.a, coarsely_less()) - r.a.begin()));
  EXPECT(am::max(r.x) == std::ranges::max(r.a));
}

template <class T>
void check_scans(ranges<T>& r) {
  const T first = drawn<T>(r.d);
  r.expect_written([&](auto& z) { am::inclusive_scan(r.x, z, joined()); },
                   [&](auto& e) { std::inclusive_scan(r.a.begin(), r.a.end(), e.begin(), joined()); });
  r.expect_written([&](auto& z) { am::exclusive_scan(r.x, z, first, joined()); },
                   [&](auto& e) { std::exclusive_scan(r.a.begin(), r.a.end(), e.begin(), first, joined()); });
  r.expect_written([&](auto& z) { am::copy(r.x, z), am::inclusive_scan(z, z, joined(), first); },
                   [&](auto& e) { std::inclusive_scan(r.a.begin(), r.a.end(), e.begin(), joined(), first); });
  r.expect_written([&](auto& z) { am::adjacent_difference(r.x, z, joined()); },
                   [&](auto& e) { std::adjacent_difference(r.a.begin(), r.a.end(), e.begin(), joined()); });
  r.expect_written([&](auto& z) { am::inclusive_scan_by_key(r.x, r.y, z, joined(), coarsely_equal()); },
                   [&](auto& e) {
                     for (std::size_t i = 0; i < e.size(); ++i)
                       e[i] = i > 0 && coarsely_equal()(r.a[i - 1], r.a[i]) ? joined()(e[i - 1], r.b[i]) : r.b[i];
                   });
}

template <class T>
void check_two_way_calls(ranges<T>& r) {
  const T some = drawn<T>(r.d);
  const auto index = [&](auto at) { return at == r.a.end() ? am::npos : std::size_t(at - r.a.begin()); };
  EXPECT_EQ(am::find(r.x, some), index(std::ranges::find(r.a, some)));
  EXPECT_EQ(am::find_last(r.x, some), index(std::find_end(r.a.begin(), r.a.end(), &some, &some + 1)));
  EXPECT_EQ(am::count(r.x, some), std::size_t(std::ranges::count(r.a, some)));
  EXPECT_EQ(am::adjacent_find(r.x, coarsely_equal()), index(std::ranges::adjacent_find(r.a, coarsely_equal())));
  EXPECT_EQ(am::all_of(r.x, wanted<T>), std::ranges::all_of(r.a, wanted<T>));
  const std::size_t from = r.d.below(r.a.size()), n = std::min(r.a.size() - from, 1 + r.d.below(3));
  const std::vector<T> pattern(r.a.begin() + std::ptrdiff_t(from), r.a.begin() + std::ptrdiff_t(from + n));
  const am::vector<T> spread_pattern = r.dealt(pattern);
  EXPECT_EQ(am::search(r.x, spread_pattern),
            n == 0 ? 0 : index(std::search(r.a.begin(), r.a.end(), pattern.begin(), pattern.end())));
  EXPECT_EQ(am::find_end(r.x, pattern), n == 0 ? r.a.size() : index(std::ranges::find_end(r.a, pattern).begin()));
  EXPECT_EQ(am::search_n(r.x, 2, some), index(std::search_n(r.a.begin(), r.a.end(), 2, some)));
  am::vector<T> same = r.out();
  am::copy(r.x, same);
  EXPECT(am::equal(r.x, same) && am::mismatch(r.x, same) == am::npos);
  EXPECT_EQ(am::equal(r.x, r.y), r.a == r.b);
  EXPECT_EQ(am::lexicographical_compare(r.x, r.y), r.a < r.b);
  EXPECT(am::starts_with(r.x, am::views::take(same, n)) && am::ends_with(r.x, am::views::drop(same, from)));
}

template <class T>
void check_values(ranges<T>& r) {
  check_elementwise(r);
  check_folds(r);
  check_scans(r);
  check_two_way_calls(r);
}
#if ARMILLA_TEST_ALL_TYPES
template void check_values(ranges<std::int8_t>&);
template void check_values(ranges<double>&);
#endif
template void check_values(ranges<record>&);
template void check_values(ranges<std::string>&);

template <class T>
void check_all(dice& d, const am::team& t, std::size_t in, std::size_t into, std::size_t n) {
  ranges<T> r(d, t, in, into, n);
  check_values(r);
  if constexpr (!std::same_as<T, double>) {  // which other tests do with numbers
    check_places(r);
    check_sorts(r);
    check_sets(r);
  }
  t.barrier();
}

template <class T>
void check_type() {
  if (std::getenv("PRODUCT") == nullptr) {
    ranges_test::for_random_teams(2, [](dice& d, const am::team& t) {
      const std::size_t in = d.below(dice::ways), into = d.below(dice::ways);
      check_all<T>(d, t, in, into, d.below(60));
    });
    return;
  }
  for (std::size_t way = 0; way < dice::ways * dice::ways; ++way)
    ranges_test::for_random_teams(1, [&](dice& d, const am::team& t) {
      for (const std::size_t n : {0, 5, 200}) check_all<T>(d, t, way / dice::ways, way % dice::ways, n);
    });
}

}  // namespace element_types_test

#if ARMILLA_TEST_ALL_TYPES
RANK_TEST(algorithms_over_bytes_do_what_the_standard_ones_do) { element_types_test::check_type<std::int8_t>(); }
RANK_TEST(algorithms_over_numbers_do_what_the_standard_ones_do) { element_types_test::check_type<double>(); }
#endif
RANK_TEST(algorithms_over_records_do_what_the_standard_ones_do) { element_types_test::check_type<element_types_test::record>(); }
RANK_TEST(algorithms_over_texts_do_what_the_standard_ones_do) { element_types_test::check_type<std::string>(); }
