// SPDX-License-Identifier: Apache-2.0
// Sorting against the standard's, with keys that are hard to deal evenly. ARMILLA_TEST_ALL_TYPES is 0 in ./check, which takes
// keys of each size, with and without a sign.
#include "armilla/sort.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <type_traits>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

enum class keys { uniform, few, equal, half_equal, rising, falling, nearly_rising, two_exchanged, exponential };
constexpr keys all_keys[] = {keys::uniform, keys::few,           keys::equal,         keys::half_equal, keys::rising,
                             keys::falling, keys::nearly_rising, keys::two_exchanged, keys::exponential};

template <class T>
std::vector<T> made(dice& d, std::size_t n, keys kind) {
  std::vector<T> all(n);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t any = d.below(1'000'000'000);
    switch (kind) {
      case keys::uniform: all[i] = T(any); break;
      case keys::few: all[i] = T(any % 7); break;
      case keys::equal: all[i] = T(5); break;
      case keys::half_equal: all[i] = any % 2 == 0 ? T(17) : T(any); break;
      case keys::rising: all[i] = T(i); break;
      case keys::falling: all[i] = T(n - i); break;
      case keys::nearly_rising: all[i] = any % 50 == 0 ? T(any) : T(i); break;
      case keys::two_exchanged: all[i] = T(i); break;
      case keys::exponential: all[i] = T(std::size_t{1} << any % 30); break;
    }
  }
  if (kind == keys::two_exchanged && n > 1) {
    const std::size_t k = 1 + d.below(n - 1);
    std::swap(all[k], all[k - 1]);
  }
  return all;
}

struct record {
  int key;
  int at;
  friend bool operator==(const record&, const record&) = default;
};

/// An element whose key is a number.
template <class K>
struct with_key {
  K key;
  int at;
  friend bool operator==(const with_key& a, const with_key& b) {  // the same bits: zeros keep their signs
    return std::memcmp(&a.key, &b.key, sizeof(K)) == 0 && a.at == b.at;
  }
};

template <class T>
std::vector<T> in_order(std::vector<T> all, const std::type_identity_t<std::function<bool(const T&, const T&)>>& less) {
  std::stable_sort(all.begin(), all.end(), less);
  return all;
}

/// Strings of any characters, some of them the beginning of others: empty, short, and with much in common.
std::string drawn_text(dice& d, std::size_t kind) {
  std::string text;
  if (kind == 1) text.assign(30 + d.below(2), 'p');
  if (kind == 2) text.assign(600, 'q');
  static constexpr char some[] = {'\0', 'a', 'b', char(0xff)};
  for (std::size_t k = d.below(kind == 3 ? 3 : 20); k > 0; --k) text += some[d.below(4)];
  return text;
}

}  // namespace

RANK_TEST(numbers_of_all_kinds_are_sorted_whatever_the_keys) {
  for (const keys kind : all_keys)
    for_random_teams(2, [kind](dice& d, const am::team& t) {
      const std::size_t n = d.below(3) == 0 ? d.size() : 3000 + d.below(9000);
      const auto check = [&]<class T>(T) {
        const std::vector<T> a = made<T>(d, n, kind);
        auto x = spread(a, d.distribution(n, t));
        const am::placement before = x.placement();
        am::sort(x);
        EXPECT_EQ(elements_of(x), in_order(a, std::less<>{}));
        EXPECT(x.placement() == before);
        am::sort(x, std::greater<>{});
        EXPECT_EQ(elements_of(x), in_order(a, std::greater<>{}));
      };
      check(std::uint32_t{});
      check(double{});
      if (kind == keys::uniform) check(short{});
#if ARMILLA_TEST_ALL_TYPES
      check(std::int64_t{});
      if (kind == keys::uniform) check(float{}), check(char{}), check(0LL);
#endif
    });
}

// So many that a rank divides what it has before it sorts the pieces.
RANK_TEST(many_numbers_are_sorted_and_none_is_lost_whatever_the_keys) {
  const std::size_t n = 140'000 * std::size_t(am::ranks());
  const auto mark = [](std::uint32_t e) { return (e + 1) * std::uint64_t(0x9e3779b97f4a7c15); };
  for (const keys kind : {keys::uniform, keys::few, keys::half_equal, keys::exponential}) {
    dice d(unsigned(am::rank()) + 1);
    am::vector<std::uint32_t> x(n);
    const std::vector<std::uint32_t> mine = made<std::uint32_t>(d, x.local().size(), kind);
    std::copy(mine.begin(), mine.end(), x.local().begin());
    const std::uint64_t before = am::reduce(am::views::transform(x, mark));
    am::sort(x);
    EXPECT(am::is_sorted(x));
    EXPECT_EQ(am::reduce(am::views::transform(x, mark)), before);
    am::sort(x, std::greater<>{});
    EXPECT(am::is_sorted(x, std::greater<>{}));
    EXPECT_EQ(am::reduce(am::views::transform(x, mark)), before);
  }
}

RANK_TEST(a_comparator_and_a_projection_say_the_order) {
  for_random_teams(4, [](dice& d, const am::team& t) {
    const std::size_t n = 2500 + d.below(5000);
    std::vector<record> a(n);
    for (std::size_t i = 0; i < n; ++i) a[i] = {int(d.below(d.below(2) == 0 ? 9 : 100000)), int(i)};
    auto x = spread(a, d.distribution(n, t));
    am::stable_sort(x, {}, &record::key);
    EXPECT(elements_of(x) == in_order(a, [](const record& p, const record& q) { return p.key < q.key; }));
    am::sort(x, [](const record& p, const record& q) { return p.at > q.at; });
    EXPECT(elements_of(x) == in_order(a, [](const record& p, const record& q) { return p.at > q.at; }));
  });
}

RANK_TEST(elements_with_equal_keys_keep_their_order_whatever_number_the_key_is) {
  for (const keys kind : all_keys)
    for_random_teams(2, [kind](dice& d, const am::team& t) {
      const std::size_t n = d.below(3) == 0 ? d.size() : 3000 + d.below(9000), drawn = d.below(3);
      const auto check = [&]<class K>(K) {
        std::vector<K> made_keys = made<K>(d, n, kind);
        std::vector<with_key<K>> a(n);
        for (std::size_t i = 0; i < n; ++i) {
          K key = made_keys[i];
          if constexpr (std::is_floating_point_v<K>) {
            if (drawn != 0 && d.below(3) == 0) key = K(0);
            if (drawn != 0 && d.below(5) == 0) key = std::numeric_limits<K>::infinity();
            if (drawn == 2 && d.below(5) == 0) key = std::numeric_limits<K>::quiet_NaN();
            if (d.below(2) == 0) key = -key;
          } else if (drawn != 0) {
            key = K(key % K(drawn == 1 ? 3 : 100));
          }
          a[i] = {key, int(i)};
        }
        auto x = spread(a, d.distribution(n, t));
        am::stable_sort(x, {}, &with_key<K>::key);
        EXPECT(elements_of(x) ==
               in_order(a, [](const auto& p, const auto& q) { return p.key < q.key || (p.key == p.key && q.key != q.key); }));
        x = spread(a, d.distribution(n, t));
        am::stable_sort(x, std::greater<>{}, &with_key<K>::key);
        EXPECT(elements_of(x) ==
               in_order(a, [](const auto& p, const auto& q) { return p.key > q.key || (p.key == p.key && q.key != q.key); }));
      };
      check(std::uint64_t{});
      check(double{});
      if (kind == keys::uniform) check(static_cast<signed char>(0));
#if ARMILLA_TEST_ALL_TYPES
      check(int{});
      if (kind == keys::uniform) check(short{}), check(float{}), check(0LL), check(0U);
#endif
    });
}

RANK_TEST(strings_are_sorted_by_their_characters_whatever_these_are) {
  for (std::size_t kind = 0; kind < 4; ++kind)
    for_random_teams(2, [kind](dice& d, const am::team& t) {
      const std::size_t n = d.below(3) == 0 ? d.size() : 2500 + d.below(2500);
      std::vector<std::string> a(n);
      for (std::string& text : a) text = drawn_text(d, kind);
      am::vector<std::string> x = spread(a, d.distribution(n, t));
      am::sort(x);
      EXPECT(elements_of(x) == in_order(a, std::less<>{}));
      am::sort(x, std::greater<>{});
      EXPECT(elements_of(x) == in_order(a, std::greater<>{}));
      using named = std::pair<std::string, int>;
      std::vector<named> b(n);
      for (std::size_t i = 0; i < n; ++i) b[i] = {a[i], int(i)};
      am::vector<named> y = spread(b, d.distribution(n, t));
      am::stable_sort(y, {}, &named::first);
      EXPECT(elements_of(y) == in_order(b, [](const named& p, const named& q) { return p.first < q.first; }));
      t.barrier();
    });
}

RANK_TEST(a_stable_sort_keeps_the_order_of_equal_numbers) {
  for_random_teams(3, [](dice& d, const am::team& t) {
    const std::size_t n = 2500 + d.below(3000);
    std::vector<double> a(n);
    for (double& e : a) e = d.below(2) == 0 ? 0.0 : -0.0;
    auto x = spread(a, d.distribution(n, t));
    am::stable_sort(x);
    const auto got = elements_of(x);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(std::signbit(got[i]), std::signbit(a[i]));
  });
}

RANK_TEST(what_is_no_number_on_one_rank_comes_last_of_all) {
  constexpr std::size_t n = 20'000;
  am::vector<double> x(n), y(n);
  am::for_each_index(x, [](std::size_t i, double& e) { e = double(i * 7919 % n); });
  if (am::rank() == 0) x.local()[5] = x.local()[77] = std::numeric_limits<double>::quiet_NaN();
  am::copy(x, y);
  am::sort(x);
  am::sort(y, std::greater<>{});
  for (const std::vector<double>& all : {elements_of(x), elements_of(y)}) {
    EXPECT(std::isnan(all[n - 1]) && std::isnan(all[n - 2]));
    EXPECT(std::none_of(all.begin(), all.end() - 2, [](double e) { return std::isnan(e); }));
  }
  EXPECT(am::is_sorted(am::views::take(x, n - 2)) && am::is_sorted(am::views::take(y, n - 2), std::greater<>{}));
}

RANK_TEST(nans_come_last) {
  for (const std::size_t n : {100u, 5000u}) {
    am::vector<double> x(n);
    am::for_each_index(x, [](std::size_t i, double& e) {
      e = i % 3 == 0 ? std::numeric_limits<double>::quiet_NaN() : double((i * 7919) % 1000);
    });
    for (const bool down : {false, true}) {
      if (down)
        am::sort(x, std::greater<>{});
      else
        am::sort(x);
      const auto all = elements_of(x);
      const std::size_t numbers = n - (n + 2) / 3;
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(std::isnan(all[i]), i >= numbers);
      EXPECT(down ? std::is_sorted(all.begin(), all.begin() + std::ptrdiff_t(numbers), std::greater<>{})
                  : std::is_sorted(all.begin(), all.begin() + std::ptrdiff_t(numbers)));
    }
  }
}

RANK_TEST(what_lies_in_reversed_order_is_turned_round) {
  for_random_teams(3, [](dice& d, const am::team& t) {
    const std::size_t n = 4000 + d.below(4000);
    const std::size_t twice = d.below(3) == 0 ? d.below(n - 1) : n;  // where a key comes twice
    std::vector<record> a(n);
    for (std::size_t i = 0; i < n; ++i) a[i] = {int(n - i) + (i == twice + 1 ? 1 : 0), int(i)};
    const am::distribution how = d.distribution(n, t);
    std::size_t compared = 0;
    const auto before = [&compared](const record& p, const record& q) { return ++compared, p.key < q.key; };
    auto x = spread(a, how), y = spread(a, how);
    am::stable_sort(x, before);
    EXPECT(elements_of(x) == in_order(a, [](const record& p, const record& q) { return p.key < q.key; }));
    if (twice == n) EXPECT_LT(compared, x.local().size() + n / std::size_t(t.size()) + 100);
    compared = 0;
    am::sort(y, before);
    EXPECT_LT(compared, y.local().size() + n / std::size_t(t.size()) + 100);
    const auto keys = elements_of(y | am::views::transform(&record::key));
    EXPECT(std::is_sorted(keys.begin(), keys.end()));
    EXPECT_EQ(am::reduce(y | am::views::transform(&record::at)), int(n * (n - 1) / 2));
  });
}

RANK_TEST(views_are_sorted_in_place) {
  for_random_teams(3, [](dice& d, const am::team& t) {
    const std::size_t n = 3000 + d.below(3000);
    std::vector<int> a = d.numbers(n, 1000);
    auto x = spread(a, d.distribution(n, t));
    am::sort(am::views::slice(x, 100, 2900));
    std::sort(a.begin() + 100, a.begin() + 2900);
    EXPECT_EQ(elements_of(x), a);
    am::sort(am::views::reverse(x));
    std::sort(a.begin(), a.end(), std::greater<>{});
    EXPECT_EQ(elements_of(x), a);
  });
}

RANK_TEST(a_comparator_that_throws_ends_the_sort_on_all_and_loses_nothing) {
  for (const std::size_t n : {50u, 6000u})
    for (const int after : {0, 100, 5000, 30000}) {
      std::vector<int> a(n);
      for (std::size_t i = 0; i < n; ++i) a[i] = int((i * 7919) % n);
      auto x = spread(a, am::blocks());
      int left = am::rank() == am::ranks() - 1 ? after : std::numeric_limits<int>::max();
      bool failed = false;
      try {
        am::sort(x, [&left](int p, int q) {
          if (--left < 0) throw std::domain_error("cannot compare");
          return p < q;
        });
      } catch (const am::remote_error& e) {
        failed = true;
        EXPECT(std::string(e.what()).find("cannot compare") != std::string::npos);
      }
      EXPECT_EQ(am::world().all_reduce(int(failed), std::plus<>{}), failed ? am::ranks() : 0);
      if (after == 0) EXPECT(failed);
      EXPECT_EQ(in_order(elements_of(x), std::less<>{}), in_order(a, std::less<>{}));
    }
}
