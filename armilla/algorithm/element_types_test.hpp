// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of algorithms over elements of several types share: the types, and what is done with their values.
#include <compare>
#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include "armilla/algorithm/ranges_test.hpp"

namespace element_types_test {

namespace am = armilla;
using ranges_test::dice;
using ranges_test::elements_of;
using ranges_test::spread;

/// Of 24 bytes; equal keys can be told apart.
struct record {
  std::int64_t key = 0;
  double weight = 0;
  std::int64_t tag = 0;
  friend auto operator<=>(const record&, const record&) = default;
};

/// Few different values, so that equal ones meet.
template <class T>
T drawn(dice& d) {
  const int n = int(d.below(24)) - 8;
  if constexpr (std::same_as<T, record>)
    return {n / 4, n * 0.25, n};
  else if constexpr (std::same_as<T, std::string>)
    return std::string(std::size_t(n + 8), char('a' + n % 3 + 3));  // some in the object, some in memory of their own
  else
    return T(n);
}
template <class T>
std::vector<T> drawn(dice& d, std::size_t n) {
  std::vector<T> all(n);
  for (T& e : all) e = drawn<T>(d);
  return all;
}

/// Equal for elements that can be told apart.
template <class T>
int coarse(const T& e) {
  if constexpr (std::same_as<T, record>)
    return int(e.key);
  else if constexpr (std::same_as<T, std::string>)
    return int(e.size() / 4);
  else
    return (int(e) + 128) / 4;
}
struct coarsely_less {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return coarse(a) < coarse(b);
  }
};
struct coarsely_equal {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return coarse(a) == coarse(b);
  }
};
template <class T>
bool wanted(const T& e) {
  return coarse(e) % 2 == 0;
}

/// Another value.
template <class T>
T changed(const T& e) {
  if constexpr (std::same_as<T, record>)
    return {e.key + 1, e.weight * 2, e.tag - 1};
  else if constexpr (std::same_as<T, std::string>)
    return "<" + e + ">";
  else
    return T(e + e + 1);
}
/// Associative, and the order matters where it can.
struct joined {
  template <class T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::same_as<T, record>)
      return {a.key + b.key, b.weight, a.tag};
    else
      return T(a + b);
  }
};
/// Associative and commutative, and exact.
struct mixed {
  template <class T>
  T operator()(const T& a, const T& b) const {
    if constexpr (std::same_as<T, record>)
      return {a.key + b.key, a.weight + b.weight, std::max(a.tag, b.tag)};
    else if constexpr (std::same_as<T, std::string>)
      return std::max(a, b);
    else
      return T(a + b);
  }
};

/// The ranges of one case, each with its elements on all ranks. x and y have elements, `out` gives room for results.
template <class T>
struct ranges {
  dice& d;
  const am::team& t;
  std::size_t in, into;  ///< ways to deal elements
  std::vector<T> a, b;
  am::vector<T> x, y;

  ranges(dice& numbers, const am::team& team, std::size_t way_in, std::size_t way_into, std::size_t n)
      : d(numbers), t(team), in(way_in), into(way_into), a(drawn<T>(d, n)), b(drawn<T>(d, n)), x(dealt(a)), y(dealt(b)) {}

  am::vector<T> dealt(const std::vector<T>& elements) { return spread(elements, d.distribution(in, elements.size(), t)); }
  /// Elements that must stay where nothing is written.
  am::vector<T> out(std::size_t n) { return spread(std::vector<T>(n, T{}), d.distribution(into, n, t)); }
  am::vector<T> out() { return out(a.size()); }

  /// `algorithm(result)` writes the elements that `by_standard(std::vector)` does.
  template <class Algorithm, class Standard>
  void expect_written(Algorithm algorithm, Standard by_standard) {
    am::vector<T> z = out();
    std::vector<T> expected(a.size());
    algorithm(z);
    by_standard(expected);
    EXPECT(elements_of(z) == expected);
  }
  /// `algorithm(x)` changes the elements, and gives a number, as `by_standard(std::vector)` does.
  template <class Algorithm, class Standard>
  void expect_changed(Algorithm algorithm, Standard by_standard) {
    am::vector<T> z = dealt(a);
    std::vector<T> expected = a;
    EXPECT_EQ(algorithm(z), by_standard(expected));
    EXPECT(elements_of(z) == expected);
  }
};

/// Algorithms that give values (elementwise, folds, scans, queries), those that give places (compaction, moves), and those
/// that compare. Each is compiled for all types in one file.
template <class T>
void check_values(ranges<T>& r);
template <class T>
void check_places(ranges<T>& r);
template <class T>
void check_sorts(ranges<T>& r);
template <class T>
void check_sets(ranges<T>& r);

}  // namespace element_types_test
