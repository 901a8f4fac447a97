// SPDX-License-Identifier: Apache-2.0
#include "armilla/container/keyed/guarded_sort.hpp"

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace armilla::detail {
namespace {

struct city {
  int people, number;
  bool operator==(const city&) const = default;
};
constexpr auto fewer = [](const city& a, const city& b) { return a.people < b.people; };

template <class T>
T made_of(int value, int number) {
  if constexpr (std::is_same_v<T, city>)
    return {value, number};
  else if constexpr (std::is_same_v<T, std::string>)
    return std::string(20, 'x') + char('a' + value % 26);
  else
    return T(value);
}

/// Arrangements of `n` elements of which some are equal.
template <class T>
std::vector<std::vector<T>> arrangements(std::size_t n) {
  std::mt19937 random(unsigned(n) + 1);
  std::vector<std::vector<T>> all(6);
  for (std::size_t i = 0; i < n; ++i) {
    const auto add = [&, k = std::size_t{0}](std::size_t value) mutable { all[k++].push_back(made_of<T>(int(value), int(i))); };
    auto one = add;
    one(random() % (n + 1)), one(random() % 3), one(i), one(n - i), one(i % 7), one(std::min(i, n - i));
  }
  return all;
}

/// With no two alike, so that two lists of the same elements become the same.
template <class T>
std::vector<T> in_full_order(std::vector<T> all) {
  if constexpr (std::is_same_v<T, city>)
    std::ranges::sort(all, {}, [](const city& c) { return std::pair(c.people, c.number); });
  else
    std::ranges::sort(all);
  return all;
}

constexpr std::size_t sizes[] = {0, 1, 2, 3, 16, 17, 24, 25, 26, 100, 129, 500, 5000};

template <class T, class Less>
void expect_as_standard(Less less) {
  for (const std::size_t n : sizes)
    for (const auto& before : arrangements<T>(n)) {
      auto stable = before, in_place = before, some = before, heap = before, expected = before;
      std::stable_sort(expected.begin(), expected.end(), less);
      guarded_stable_sort(stable.data(), n, less);
      EXPECT_TRUE(stable == expected) << n;
      merge_sort_in_place(in_place.data(), n, less);
      EXPECT_TRUE(in_place == expected) << n;
      guarded_sort(some.data(), n, less);
      heap_sort(heap.data(), n, less);
      EXPECT_TRUE(std::is_sorted(some.begin(), some.end(), less)) << n;
      EXPECT_TRUE(std::is_sorted(heap.begin(), heap.end(), less)) << n;
      EXPECT_TRUE(in_full_order(some) == in_full_order(expected)) << n;
    }
}

/// Each element is there once, and those beside them have not changed.
template <class T, class Less>
void expect_harmless(Less less) {
  constexpr std::size_t around = 8;
  const auto sorted = [](std::vector<int> all) {
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto check = [&](const std::vector<int>& before, auto sort) {
    std::vector<T> all(around, T(-1));
    for (const int e : before) all.push_back(T(e));
    all.insert(all.end(), around, T(-1));
    sort(all.data() + around, before.size());
    std::vector<int> inside, outside;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_inside = i >= around && i < around + before.size();
      (is_inside ? inside : outside).push_back(int(all[i]));
    }
    EXPECT_EQ(sorted(inside), sorted(before));
    EXPECT_EQ(outside, std::vector<int>(2 * around, -1));
  };
  for (const std::size_t n : sizes)
    for (const auto& before : arrangements<int>(n)) {
      check(before, [&](T* first, std::size_t many) { guarded_sort(first, many, less); });
      check(before, [&](T* first, std::size_t many) { guarded_stable_sort(first, many, less); });
      if (n <= 500) check(before, [&](T* first, std::size_t many) { merge_sort_in_place(first, many, less); });
    }
}

/// Copied with care: it does not count as bytes.
struct number {
  explicit number(int e) : value(e) {}
  number(const number& other) : value(other.value) {}
  number(number&& other) noexcept : value(std::exchange(other.value, -2)) {}
  number& operator=(const number&) = default;
  number& operator=(number&& other) noexcept {
    EXPECT_NE(this, &other);
    value = std::exchange(other.value, -2);
    return *this;
  }
  explicit operator int() const { return value; }
  int value;
};

template <class T>
void expect_harmless_with_any_comparator() {
  const auto of = [](const T& e) { return int(e); };
  std::mt19937 random(3);
  expect_harmless<T>([&](const T& a, const T& b) { return of(a) <= of(b); });
  expect_harmless<T>([](const T&, const T&) { return true; });
  expect_harmless<T>([](const T&, const T&) { return false; });
  expect_harmless<T>([&](const T&, const T&) { return random() % 2 == 0; });
  expect_harmless<T>([&](const T& a, const T& b) { return random() % 37 == 0 ? of(b) < of(a) : of(a) < of(b); });
  expect_harmless<T>([&](const T& a, const T& b) { return ((of(b) - of(a)) % 3 + 3) % 3 == 1; });
}

TEST(GuardedSort, SortsAsTheStandardDoes) {
  expect_as_standard<int>(std::less<>{});
  expect_as_standard<std::string>(std::greater<>{});
  expect_as_standard<city>(fewer);
}

TEST(GuardedSort, KeepsTheElementsWhateverAComparatorAnswers) {
  expect_harmless_with_any_comparator<int>();
  expect_harmless_with_any_comparator<number>();
}

TEST(GuardedSort, EndsSoonWhateverAComparatorAnswers) {
  std::size_t calls = 0;
  const auto always = [&calls](int, int) { return ++calls, true; };
  std::vector<int> all(100'000);
  guarded_sort(all.data(), all.size(), always);
  EXPECT_LT(calls, 12'000'000U);
  calls = 0;
  guarded_stable_sort(all.data(), all.size(), always);
  EXPECT_LT(calls, 4'000'000U);
}

}  // namespace
}  // namespace armilla::detail
