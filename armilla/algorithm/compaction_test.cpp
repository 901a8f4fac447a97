// SPDX-License-Identifier: Apache-2.0
// Algorithms that keep some of the elements, against those of the standard.
#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

using numbers = std::vector<int>;

// Of 12 bytes: no processor compresses it.
struct triple {
  int a = 0, b = 0, c = 0;
  triple() = default;
  explicit triple(std::size_t i) : a(int(i)), b(int(i / 2)), c(-a) {}
  explicit operator std::size_t() const { return std::size_t(a); }
  bool operator==(const triple&) const = default;
};

// Elements of type T that begin at any place, into outputs whose parts end anywhere.
template <class T>
void compact_many() {
  for_random_teams(4, [](dice& d, const am::team& t) {
    const std::size_t n = d.below(2) == 0 ? d.below(200) : 20'000 + d.below(5000);
    const std::size_t rate = 1 + d.below(9);
    std::vector<T> a(n), yes, no, once;
    for (T& e : a) e = T(d.below(12));
    const auto wanted = [&](const T& e) { return std::size_t(e) <= rate; };
    for (const T& e : a) (wanted(e) ? yes : no).push_back(e);
    std::ranges::unique_copy(a, std::back_inserter(once));
    const std::vector<T> untouched(n, T(99));
    const auto x = spread(a, am::on(t, am::blocks(d.sizes(n, t.size()))));
    auto y = spread(untouched, d.distribution(n, t)), z = spread(untouched, d.distribution(n, t));
    const auto begins_with = [&](const am::vector<T>& out, std::vector<T> expected) {
      expected.resize(n, T(99));
      EXPECT(elements_of(out) == expected);
    };
    EXPECT_EQ(am::partition_copy(x, y, z, wanted), std::pair(yes.size(), no.size()));
    begins_with(y, yes);
    begins_with(z, no);
    auto u = spread(untouched, d.distribution(n, t));
    EXPECT_EQ(am::unique_copy(x, u), once.size());
    begins_with(u, once);
    auto v = spread(untouched, am::on(t));
    EXPECT_EQ(am::copy_if(x, v, wanted), yes.size());
    begins_with(v, yes);
  });
}

bool odd(int e) { return e % 2 != 0; }

// The first elements of x, and those behind them as they were before.
void expect_begins_with(const am::vector<int>& x, const numbers& first, const numbers& before) {
  numbers expected = before;
  std::ranges::copy(first, expected.begin());
  EXPECT_EQ(elements_of(x), expected);
}

numbers kept_of(const numbers& a, auto predicate) {
  numbers kept;
  std::ranges::copy_if(a, std::back_inserter(kept), predicate);
  return kept;
}

}  // namespace

RANK_TEST(what_is_kept_is_copied_in_order) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const numbers a = d.numbers(n, 3), b = d.numbers(n);
    const auto x = spread(a, d.distribution(n, t));
    const auto into = [&](auto algorithm, const numbers& expected) {
      auto z = spread(b, d.distribution(n, t));
      EXPECT_EQ(algorithm(z), expected.size());
      expect_begins_with(z, expected, b);
    };
    into([&](auto& z) { return am::copy_if(x, z, odd); }, kept_of(a, odd));
    into([&](auto& z) { return am::copy_if(x | am::views::filter([](int e) { return e > 0; }), z, odd); },
         kept_of(a, [](int e) { return e > 0 && odd(e); }));
    into([&](auto& z) { return am::remove_copy_if(x, z, odd); }, kept_of(a, std::not_fn(odd)));
    into([&](auto& z) { return am::remove_copy(x, z, 1); }, kept_of(a, [](int e) { return e != 1; }));
    numbers once;
    std::ranges::unique_copy(a, std::back_inserter(once));
    into([&](auto& z) { return am::unique_copy(x, z); }, once);
    EXPECT_EQ(elements_of(am::pack(x, odd)), kept_of(a, odd));
    std::vector<std::size_t> where;
    for (std::size_t i = 0; i < n; ++i)
      if (odd(a[i])) where.push_back(i);
    EXPECT_EQ(elements_of(am::pack_index(x, odd)), where);
  });
}

RANK_TEST(a_vector_shrinks_to_what_stays_and_a_view_begins_with_it) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const numbers a = d.numbers(n, 3);
    const auto with = [&](auto algorithm, auto by_standard) {
      auto x = spread(a, d.distribution(n, t));
      numbers expected = a;
      expected.erase(by_standard(expected), expected.end());
      EXPECT_EQ(algorithm(x), expected.size());
      EXPECT_EQ(x.size(), expected.size());
      EXPECT_EQ(elements_of(x), expected);
    };
    with([](auto& x) { return am::remove_if(x, odd); }, [](auto& e) { return std::remove_if(e.begin(), e.end(), odd); });
    with([](auto& x) { return am::remove(x, 1); }, [](auto& e) { return std::remove(e.begin(), e.end(), 1); });
    with([](auto& x) { return am::unique(x); }, [](auto& e) { return std::unique(e.begin(), e.end()); });
    auto x = spread(a, d.distribution(n, t));
    const std::size_t from = d.below(n);
    const numbers part(a.begin() + std::ptrdiff_t(from), a.end());
    EXPECT_EQ(am::remove_if(am::views::drop(x, from), odd), kept_of(part, std::not_fn(odd)).size());
    numbers expected = a;
    std::ranges::copy(kept_of(part, std::not_fn(odd)), expected.begin() + std::ptrdiff_t(from));
    EXPECT_EQ(elements_of(x), expected);
  });
}

RANK_TEST(partitions_are_stable_and_a_point_is_found) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const std::size_t n = d.size();
    const numbers a = d.numbers(n);
    numbers expected = a;
    const std::size_t yes = std::size_t(std::stable_partition(expected.begin(), expected.end(), odd) - expected.begin());
    auto x = spread(a, d.distribution(n, t)), y = spread(a, d.distribution(n, t)), z = y.like();
    EXPECT_EQ(am::partition_copy(x, y, z, odd), std::pair(yes, n - yes));
    EXPECT_EQ(elements_of(am::views::take(y, yes)), kept_of(a, odd));
    EXPECT_EQ(elements_of(am::views::take(z, n - yes)), kept_of(a, std::not_fn(odd)));
    EXPECT_EQ(am::partition(x, odd), yes);
    EXPECT_EQ(elements_of(x), expected);
    EXPECT(am::is_partitioned(x, odd));
    EXPECT_EQ(am::partition_point(x, odd), yes);
  });
}

RANK_TEST(what_does_not_fit_and_what_throws_leaves_everything_as_it_is) {
  numbers a(100);
  std::iota(a.begin(), a.end(), 0);
  auto x = spread(a, am::blocks());
  am::vector<int> small(10, -1);
  EXPECT_THROWS(am::usage_error, am::copy_if(x, small, odd));
  const auto thrower = [](int e) {
    if (e == 77) throw std::domain_error("this one");
    return e < 5;
  };
  EXPECT_THROWS_SAYING(am::remote_error, "element 77: this one", am::copy_if(x, small, thrower));
  EXPECT_THROWS_SAYING(am::remote_error, "this one", am::remove_if(x, thrower));
  EXPECT_THROWS_SAYING(am::remote_error, "this one", am::partition(x, thrower));
  EXPECT_EQ(elements_of(x), a);
  EXPECT_EQ(elements_of(small), numbers(10, -1));
}

RANK_TEST(elements_of_each_width_go_to_their_places_and_none_beside_them) {
  compact_many<unsigned char>();
  compact_many<std::uint16_t>();
  compact_many<float>();
  compact_many<double>();
  compact_many<triple>();
}

RANK_TEST_MAIN()
