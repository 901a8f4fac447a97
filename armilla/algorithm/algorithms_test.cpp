// SPDX-License-Identifier: Apache-2.0
// Algorithms against those of the standard, on random sizes, distributions and teams.
#include <cmath>
#include <limits>
#include <numeric>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

using numbers = std::vector<int>;

numbers make(std::size_t n, auto f) {
  numbers all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = int(f(i));
  return all;
}

// Only the first member of the team throws, or whichever has element `i`.
struct thrown_at {
  int value;
  void operator()(int& e) const {
    if (e == value) throw std::domain_error("this one");
    e += 1000;
  }
};

}  // namespace

RANK_TEST(elements_are_assigned_as_by_the_standard) {
  for_random_teams(12, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const numbers a = d.numbers(n), b = d.numbers(n);
    auto x = spread(a, d.distribution(n, t));
    const auto y = spread(b, d.distribution(n, t));
    am::vector<int> z(n, d.distribution(n, t));
    am::transform(x, y, z, [](int e, int f) { return 3 * e - f; });
    EXPECT_EQ(elements_of(z), make(n, [&](std::size_t i) { return 3 * a[i] - b[i]; }));
    am::transform(y, z, std::negate<>{});
    EXPECT_EQ(elements_of(z), make(n, [&](std::size_t i) { return -b[i]; }));
    am::copy(x, z);
    EXPECT_EQ(elements_of(z), a);
    am::for_each(am::views::zip(x, y), [](int& e, int f) { e += f; });
    EXPECT_EQ(elements_of(x), make(n, [&](std::size_t i) { return a[i] + b[i]; }));
    am::swap_ranges(x, z);
    EXPECT_EQ(elements_of(x), a);
    EXPECT_EQ(elements_of(z), make(n, [&](std::size_t i) { return a[i] + b[i]; }));
    am::for_each_index(x, [](std::size_t i, int& e) { e = int(i) - e; });
    EXPECT_EQ(elements_of(x), make(n, [&](std::size_t i) { return int(i) - a[i]; }));
    am::iota(x, 5);
    EXPECT_EQ(elements_of(x), make(n, [](std::size_t i) { return i + 5; }));
    am::replace(x, 7, -7);
    am::replace_if(x, [](int e) { return e > 20; }, 0);
    EXPECT_EQ(elements_of(x), make(n, [](std::size_t i) { return i == 2 ? -7 : i > 15 ? 0 : int(i) + 5; }));
    am::replace_copy(y, z, 3, 4);
    EXPECT_EQ(elements_of(z), make(n, [&](std::size_t i) { return b[i] == 3 ? 4 : b[i]; }));
    am::fill(z, 9);
    am::fill_n(z, n / 2, 8);
    am::for_each_n(z, n / 3, [](int& e) { e += 1; });
    EXPECT_EQ(elements_of(z), make(n, [&](std::size_t i) { return (i < n / 2 ? 8 : 9) + (i < n / 3 ? 1 : 0); }));
    am::copy_n(y, n / 2, z);
    am::generate_n(z, n / 4, [] { return 1; });
    EXPECT_EQ(elements_of(z | am::views::take(n / 2)), make(n / 2, [&](std::size_t i) { return i < n / 4 ? 1 : b[i]; }));
  });
}

RANK_TEST(folds_are_those_of_the_standard) {
  for_random_teams(12, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const numbers a = d.numbers(n), b = d.numbers(n);
    const auto x = spread(a, d.distribution(n, t)), y = spread(b, d.distribution(n, t));
    EXPECT_EQ(am::reduce(x), std::reduce(a.begin(), a.end()));
    EXPECT_EQ(am::reduce(x, 7L, [](long e, long f) { return std::max(e, f); }),
              std::reduce(a.begin(), a.end(), 7L, [](long e, long f) { return std::max(e, f); }));
    EXPECT_EQ(am::inner_product(x, y), std::inner_product(a.begin(), a.end(), b.begin(), 0));
    EXPECT_EQ(am::transform_reduce(x, 1, std::plus<>{}, [](int e) { return e * e; }),
              std::inner_product(a.begin(), a.end(), a.begin(), 1));
    EXPECT_EQ(am::min_element(x), n == 0 ? am::npos : std::size_t(std::ranges::min_element(a) - a.begin()));
    EXPECT_EQ(am::max_element(x, {}, [](int e) { return e % 5; }),
              n == 0 ? am::npos : std::size_t(std::ranges::max_element(a, {}, [](int e) { return e % 5; }) - a.begin()));
    if (n > 0) {
      EXPECT_EQ(am::min(x), std::ranges::min(a));
      EXPECT_EQ(am::minmax(x).second, std::ranges::max(a));
      EXPECT_EQ(am::mean(x), double(std::reduce(a.begin(), a.end())) / double(n));
    }
    EXPECT_LT(std::abs(am::norm(x) - std::sqrt(std::inner_product(a.begin(), a.end(), a.begin(), 0.0))), 1e-9);
    const auto in_order = [](std::string so_far, int e) { return so_far + std::to_string(e); };
    EXPECT_EQ(am::fold_left(x, std::string("<"), in_order), std::accumulate(a.begin(), a.end(), std::string("<"), in_order));
    EXPECT_EQ(am::accumulate(x, 3L), std::accumulate(a.begin(), a.end(), 3L));
    std::vector<std::uint64_t> counts(5);
    for (const int e : a)
      if (e >= -10 && e < 10) ++counts[std::size_t(e + 10) / 4];
    EXPECT_EQ(am::histogram(x, 5, -10, 10), counts);
  });
}

RANK_TEST(a_histogram_counts_whatever_lies_between_its_bounds) {
  struct bounds {
    double low, high;
  };
  constexpr double most = std::numeric_limits<double>::max(), least = std::numeric_limits<double>::denorm_min();
  for (const bounds b : {bounds{-1, 1}, bounds{0, 0.1}, bounds{0.1, 0.9}, bounds{0, 1e-310}, bounds{0, least}, bounds{0, most},
                         bounds{-most / 2, most / 2}, bounds{1, std::nextafter(1, 2)}, bounds{1e16, 1e16 + 2}})
    for (const std::size_t buckets : {1u, 3u, 5u, 10u, 49u, 1000u}) {
      const std::vector<double> inside = {b.low, b.low + (b.high - b.low) / 4, std::nextafter(b.high, b.low)};
      const std::vector<double> outside = {b.high, std::nextafter(b.low, -most), -std::numeric_limits<double>::infinity(),
                                           std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()};
      std::vector<double> all = inside;
      all.insert(all.end(), outside.begin(), outside.end());
      const std::vector<std::uint64_t> counts = am::histogram(spread(all, am::cyclic()), buckets, b.low, b.high);
      EXPECT_EQ(std::reduce(counts.begin(), counts.end()), inside.size());
      EXPECT(counts.front() != 0);
      EXPECT_EQ(am::histogram(spread(inside, am::blocks()), buckets, b.low, b.high), counts);
    }
  am::vector<double> x(10, 0.5);
  EXPECT_EQ(am::histogram(x, 0, 0.0, 1.0).size(), 0u);
}

RANK_TEST(scans_are_those_of_the_standard) {
  for_random_teams(12, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const numbers a = d.numbers(n);
    auto x = spread(a, d.distribution(n, t));
    am::vector<int> y(n, d.distribution(n, t));
    numbers expected(n);
    am::inclusive_scan(x, y);
    std::inclusive_scan(a.begin(), a.end(), expected.begin());
    EXPECT_EQ(elements_of(y), expected);
    am::exclusive_scan(x, y, 5);
    std::exclusive_scan(a.begin(), a.end(), expected.begin(), 5);
    EXPECT_EQ(elements_of(y), expected);
    // Associative and not commutative: the first operand that is odd, else the second.
    const auto first_odd = [](int e, int f) { return e % 2 != 0 ? e : f; };
    am::inclusive_scan(x, y, first_odd);
    std::inclusive_scan(a.begin(), a.end(), expected.begin(), first_odd);
    EXPECT_EQ(elements_of(y), expected);
    am::inclusive_scan(x, y, std::plus<>{}, 100);
    std::inclusive_scan(a.begin(), a.end(), expected.begin(), std::plus<>{}, 100);
    EXPECT_EQ(elements_of(y), expected);
    am::transform_exclusive_scan(x, y, 1, std::plus<>{}, [](int e) { return e * e; });
    std::transform_exclusive_scan(a.begin(), a.end(), expected.begin(), 1, std::plus<>{}, [](int e) { return e * e; });
    EXPECT_EQ(elements_of(y), expected);
    am::adjacent_difference(x, y);
    std::adjacent_difference(a.begin(), a.end(), expected.begin());
    EXPECT_EQ(elements_of(y), expected);
    am::inclusive_scan(x, x);
    std::inclusive_scan(a.begin(), a.end(), expected.begin());
    EXPECT_EQ(elements_of(x), expected);
  });
}

RANK_TEST(lists_of_indices_name_any_elements) {
  for_random_teams(6, [](dice& d, const am::team& t) {
    const std::size_t n = 1 + d.size();
    const numbers a = d.numbers(n);
    auto x = spread(a, d.distribution(n, t));
    std::vector<std::size_t> indices(d.size());
    for (auto& i : indices) i = d.below(n);
    EXPECT_EQ(am::gather(x, indices), make(indices.size(), [&](std::size_t k) { return a[indices[k]]; }));
    t.barrier();
    am::scatter_add(x, indices, make(indices.size(), [](std::size_t k) { return k; }));  // every member
    t.fence();
    numbers expected = a;
    for (std::size_t k = 0; k < indices.size(); ++k) expected[indices[k]] += t.size() * int(k);
    EXPECT_EQ(elements_of(x), expected);
    if (t.rank() == 0) am::scatter(x, indices, make(indices.size(), [&](std::size_t k) { return indices[k] * 2; }));
    t.fence();
    for (const std::size_t i : indices) expected[i] = int(i) * 2;
    EXPECT_EQ(elements_of(x), expected);
    EXPECT_THROWS_SAYING(am::usage_error, "2 indices and 1 values", am::scatter(x, std::vector<std::size_t>{0, 0}, numbers{1}));
    EXPECT_THROWS_SAYING(am::usage_error, "element", am::gather(x, std::vector<std::size_t>{n}));
  });
}

RANK_TEST(additions_to_one_element_are_all_there) {
  am::vector<double> x(3, am::cyclic());
  am::scatter_add(x, std::vector<std::size_t>(10000, 1), 0.5);
  am::fence();
  EXPECT_EQ(double(x[1]), 5000.0 * am::ranks());
  am::barrier();
}

RANK_TEST(two_way_calls_have_the_answers_of_the_standard) {
  for_random_teams(16, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    numbers a = d.numbers(n, 6);
    if (d.below(3) == 0) std::ranges::sort(a);
    numbers b = a;
    if (n > 0 && d.below(2) == 0) b[d.below(n)] += int(d.below(3)) - 1;
    b.resize(d.below(3) == 0 ? d.below(n + 1) : n);
    const auto x = spread(a, d.distribution(n, t)), y = spread(b, d.distribution(b.size(), t));
    const auto position = [n](auto begin, auto found) {
      return found - begin == std::ptrdiff_t(n) ? am::npos : std::size_t(found - begin);
    };
    const auto big = [](int e) { return e > 3; };
    EXPECT_EQ(am::find(x, 3), position(a.begin(), std::ranges::find(a, 3)));
    EXPECT_EQ(am::find_if(x, big), position(a.begin(), std::ranges::find_if(a, big)));
    EXPECT_EQ(am::find_if_not(x, big), position(a.begin(), std::ranges::find_if_not(a, big)));
    const auto last = std::find(a.rbegin(), a.rend(), 3);
    EXPECT_EQ(am::find_last(x, 3), last == a.rend() ? am::npos : std::size_t(a.rend() - last) - 1);
    EXPECT_EQ(am::find_first_of(x, numbers{2, -4}), position(a.begin(), std::ranges::find_first_of(a, numbers{2, -4})));
    EXPECT_EQ(am::contains(x, -2), std::ranges::find(a, -2) != a.end());
    EXPECT_EQ(am::all_of(x, big), std::ranges::all_of(a, big));
    EXPECT_EQ(am::any_of(x, big), std::ranges::any_of(a, big));
    EXPECT_EQ(am::none_of(x, big), std::ranges::none_of(a, big));
    EXPECT_EQ(am::count(x, 2), std::size_t(std::ranges::count(a, 2)));
    EXPECT_EQ(am::count_if(x, big), std::size_t(std::ranges::count_if(a, big)));
    EXPECT_EQ(am::equal(x, y), std::ranges::equal(a, b));
    const auto [p, q] = std::ranges::mismatch(a, b);
    EXPECT_EQ(am::mismatch(x, y), p == a.end() && q == b.end() ? am::npos : std::size_t(p - a.begin()));
    EXPECT_EQ(am::starts_with(x, y), b.size() <= n && std::equal(b.begin(), b.end(), a.begin()));
    EXPECT_EQ(am::ends_with(x, y), b.size() <= n && std::equal(b.rbegin(), b.rend(), a.rbegin()));
    EXPECT_EQ(am::lexicographical_compare(x, y), std::ranges::lexicographical_compare(a, b));
    EXPECT_EQ(am::lexicographical_compare(y, x), std::ranges::lexicographical_compare(b, a));
    EXPECT_EQ(am::adjacent_find(x), position(a.begin(), std::ranges::adjacent_find(a)));
    EXPECT_EQ(am::is_sorted(x), std::ranges::is_sorted(a));
    EXPECT_EQ(am::is_sorted_until(x, std::greater<>{}),
              std::size_t(std::ranges::is_sorted_until(a, std::greater<>{}) - a.begin()));
    EXPECT_EQ(am::is_partitioned(x, big), std::ranges::is_partitioned(a, big));
  });
}

RANK_TEST(views_show_the_elements_that_they_name) {
  namespace v = am::views;
  for_random_teams(12, [](dice& d, const am::team& t) {
    const std::size_t n = d.size(), first = d.below(n + 1), last = first + d.below(n - first + 1), step = 1 + d.below(4);
    const numbers a = d.numbers(n), b = d.numbers(n);
    auto x = spread(a, d.distribution(n, t));
    const auto y = spread(b, d.distribution(n, t));
    EXPECT_EQ(elements_of(v::slice(x, first, last)),
              numbers(a.begin() + std::ptrdiff_t(first), a.begin() + std::ptrdiff_t(last)));
    EXPECT_EQ(elements_of(x | v::reverse()), numbers(a.rbegin(), a.rend()));
    EXPECT_EQ(elements_of(x | v::drop(first) | v::take(3)),
              make(std::min<std::size_t>(3, n - first), [&](std::size_t i) { return a[first + i]; }));
    EXPECT_EQ(elements_of(x | v::stride(step)), make((n + step - 1) / step, [&](std::size_t i) { return a[i * step]; }));
    EXPECT_EQ(elements_of(x | v::reverse() | v::stride(step)),
              make((n + step - 1) / step, [&](std::size_t i) { return a[n - 1 - i * step]; }));
    EXPECT_EQ(elements_of(x | v::transform([](int e) { return e * e; })), make(n, [&](std::size_t i) { return a[i] * a[i]; }));
    numbers odd = a;
    std::erase_if(odd, [](int e) { return e % 2 == 0; });
    EXPECT_EQ(elements_of(x | v::filter([](int e) { return e % 2 != 0; })), odd);
    EXPECT_EQ(am::reduce(x | v::filter([](int e) { return e % 2 != 0; })), std::reduce(odd.begin(), odd.end()));
    EXPECT_EQ(am::transform_reduce(v::enumerate(x), std::size_t{0}, std::plus<>{},
                                   [](std::size_t i, int e) { return i * std::size_t(e + 50); }),
              [&] {
                std::size_t sum = 0;
                for (std::size_t i = 0; i < n; ++i) sum += i * std::size_t(a[i] + 50);
                return sum;
              }());
    // Written through views: every step-th element of x takes those of y, from the end of it.
    am::for_each(v::zip(v::stride(x, step), v::reverse(y)), [](int& e, int f) { e = f; });
    numbers expected = a;
    for (std::size_t i = 0; i * step < n; ++i) expected[i * step] = b[n - 1 - i];
    EXPECT_EQ(elements_of(x), expected);
    am::copy(v::slice(y, first, last), v::slice(x, 0, last - first));
    for (std::size_t i = first; i < last; ++i) expected[i - first] = b[i];
    EXPECT_EQ(elements_of(x), expected);
  });
}

RANK_TEST(numbers_are_made_where_they_are_looked_at) {
  for (const std::size_t n : {0, 1, 5, 1000}) {
    EXPECT_EQ(am::reduce(am::views::iota(1, n)), int(n * (n + 1) / 2));
    const am::vector<int> x(n, 2, am::cyclic(3));
    EXPECT_EQ(am::inner_product(am::views::iota(1, n), x), int(n * (n + 1)));
  }
}

RANK_TEST(segments_cover_a_range_in_order) {
  for_random_teams(4, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const numbers a = d.numbers(n);
    const auto x = spread(a, d.distribution(n, t));
    std::size_t next = 0;
    for (const auto& s : am::segments(x)) {
      EXPECT_EQ(s.offset(), next);
      EXPECT(s.size() > 0);
      EXPECT_EQ(s.rank(), x.rank_of(next));
      EXPECT(s.mapped() || s.rank() != am::rank());
      if (s.mapped()) EXPECT(std::ranges::equal(s.local(), std::span(a).subspan(next, s.size())));
      next += s.size();
    }
    EXPECT_EQ(next, n);
    t.barrier();
  });
}

RANK_TEST(what_a_function_throws_on_one_member_is_thrown_on_all) {
  for_random_teams(3, [](dice& d, const am::team& t) {
    const std::size_t n = 40, bad = d.below(n);
    auto x = spread(make(n, [](std::size_t i) { return i; }), d.distribution(n, t));
    EXPECT_THROWS_SAYING(am::remote_error, ("element " + std::to_string(bad) + ": this one").c_str(),
                         am::for_each(x, thrown_at{int(bad)}));
    am::iota(x, 0);
    try {
      am::count_if(x, [&](int e) { return e >= int(bad) ? throw std::domain_error("late") : true; });
      EXPECT(false);
    } catch (const am::remote_error& e) {
      EXPECT_EQ(e.rank(), t.world_rank(t.all_reduce(
                              [&] {
                                for (const int mine : std::as_const(x).local())
                                  if (mine >= int(bad)) return t.rank();
                                return t.size();
                              }(),
                              [](am::rank_t a, am::rank_t b) { return std::min(a, b); })));
    }
    EXPECT_EQ(am::reduce(x), int(n * (n - 1) / 2));
  });
}

RANK_TEST(an_algorithm_that_does_not_wait_tells_its_error_later) {
  am::vector<int> x(100);
  am::iota(x, 0);
  am::for_each(am::nowait, x, thrown_at{99});
  EXPECT_THROWS_SAYING(am::remote_error, "element 99", am::reduce(x));
  am::iota(x, 0);
  EXPECT_EQ(am::reduce(x), 4950);
}

RANK_TEST(what_does_not_fit_is_refused_before_anything_moves) {
  am::vector<int> x(10, 1), y(9, 2);
  EXPECT_THROWS_SAYING(am::usage_error, "10 elements for a range of 9", am::copy(x, y));
  EXPECT_THROWS_SAYING(am::usage_error, "10 elements for a range of 9", am::transform(x, y, std::negate<>{}));
  EXPECT_THROWS_SAYING(am::usage_error, "elements [0, 11) of a range of 10", am::fill_n(x, 11, 0));
  EXPECT_THROWS_SAYING(am::usage_error, "a step of 0", am::views::stride(x, 0));
  EXPECT_EQ(am::reduce(y), 18);
}

RANK_TEST(an_empty_range_gives_what_the_fold_starts_from_or_an_error) {
  am::vector<int> x(10, 1);
  const auto none = am::views::take(x, 0);
  const auto no_size = am::views::filter(x, [](int) { return false; });
  EXPECT_THROWS_SAYING(am::usage_error, "the range is empty", am::min(none));
  EXPECT_THROWS_SAYING(am::usage_error, "the range is empty", am::max(none));
  EXPECT_THROWS_SAYING(am::usage_error, "the range is empty", am::minmax(no_size));
  EXPECT_THROWS_SAYING(am::usage_error, "mean: the range is empty", am::mean(none));
  EXPECT_THROWS_SAYING(am::usage_error, "mean: the range is empty", am::mean(no_size));
  EXPECT_THROWS_SAYING(am::usage_error, "mean: the range is empty", am::mean(am::reproducible, none));
  EXPECT_EQ(am::reduce(none), 0);
  EXPECT_EQ(am::reduce(no_size, 7L, std::multiplies<>{}), 7L);
  EXPECT_EQ(am::inner_product(none, none), 0);
  EXPECT_EQ(am::accumulate(none, 3L), 3L);
  EXPECT_EQ(am::norm(none), 0.0);
  EXPECT_EQ(am::min_element(no_size), am::npos);
  EXPECT_EQ(am::minmax_element(none).second, am::npos);
}

RANK_TEST(views_of_what_is_no_more_are_refused) {
  am::vector<int> x(10, 1), y(10, 2);
  const auto front = am::views::slice(x, 0, 5), back = am::views::slice(x, 6, 9);
  const auto pairs = am::views::zip(std::as_const(x), y);
  x.resize(3);
  EXPECT_THROWS_SAYING(am::remote_error, "first 5 elements, of which 3 are left", am::reduce(front));
  EXPECT_THROWS_SAYING(am::remote_error, "first 9 elements, of which 3 are left", am::reduce(back));
  EXPECT_THROWS_SAYING(am::remote_error, "first 10 elements, of which 3 are left",
                       am::for_each(pairs, [](int a, int& b) { b = a; }));
  EXPECT_EQ(am::reduce(y), 20);
}

RANK_TEST(ranges_of_two_teams_do_not_go_together) {
  if (am::ranks() == 1) return;
  const am::team half = am::world().split(am::rank() % 2);
  am::vector<int> x(10), y(10, am::on(half));
  EXPECT_THROWS_SAYING(am::usage_error, "the same members in the same order", am::views::zip(x, y));
}

RANK_TEST(sums_are_the_same_bits_on_all_members_and_in_each_call) {
  am::vector<double> x(997, am::cyclic(3));
  am::for_each_index(x, [](std::size_t i, double& e) { e = 1.0 / double(i + 1); });
  const double once = am::reduce(x), again = am::reduce(x);
  EXPECT_EQ(once, again);
  EXPECT_EQ(am::all_reduce(once, [](double a, double b) { return std::max(a, b); }),
            am::all_reduce(once, [](double a, double b) { return std::min(a, b); }));
}

RANK_TEST(an_algorithm_of_several_inside_of_a_function_is_refused) {
  if (am::ranks() == 1) return;
  am::vector<int> x(50, 1);
  EXPECT_THROWS_SAYING(am::remote_error, "reduce: members meet inside of a function that an algorithm calls",
                       am::for_each(x, [&x](int& e) { e = am::reduce(x); }));
  EXPECT_EQ(am::reduce(x), 50);
}

RANK_TEST(an_algorithm_of_one_rank_runs_inside_of_a_function) {
  const am::team alone = am::world().split(am::rank());
  am::vector<int> own(5, am::on(alone));
  am::fill(own, 2);
  am::vector<int> x(50);
  am::for_each(x, [&own](int& e) { e = am::reduce(own); });
  EXPECT_EQ(am::reduce(x), 500);
}
