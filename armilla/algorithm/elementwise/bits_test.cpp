// SPDX-License-Identifier: Apache-2.0
// Of order_test.cpp's program: algorithms that order, move or compact give back the floating-point numbers that they were given,
// bit for bit: zeros of both signs, and NaNs of both signs and of any payload.
#include <bit>
#include <cmath>
#include <limits>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

template <class T>
using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
std::vector<bits<T>> bits_of(const std::vector<T>& all) {
  std::vector<bits<T>> same;
  for (const T e : all) same.push_back(std::bit_cast<bits<T>>(e));
  return same;
}
template <class T>
std::vector<bits<T>> sorted_bits_of(const std::vector<T>& all) {
  auto same = bits_of(all);
  std::ranges::sort(same);
  return same;
}

/// The order of the library: NaNs last.
constexpr auto before = [](auto a, auto b) { return a < b || (a == a && b != b); };

template <class T>
std::vector<T> special_values(dice& d, std::size_t n) {
  using limits = std::numeric_limits<T>;
  const T nan = limits::quiet_NaN(), other_nan = std::bit_cast<T>(bits<T>(std::bit_cast<bits<T>>(nan) + 5));
  const T some[] = {0, limits::infinity(), limits::denorm_min(), limits::max(), limits::min(), 1, nan, other_nan, 0, 0};
  std::vector<T> all(n);
  for (T& e : all) e = std::copysign(some[d.below(std::size(some))], d.below(2) == 0 ? T(1) : T(-1));
  return all;
}

template <class T>
struct numbers_of {
  std::vector<T> a;
  am::distribution how;
  am::vector<T> dealt(const std::vector<T>& all) const { return spread(all, how); }

  /// `algorithm(x)` leaves the same elements, in any order.
  template <class F>
  void expect_same_elements(F algorithm, int line = __builtin_LINE()) const {
    auto x = dealt(a);
    algorithm(x);
    EXPECT_EQ(sorted_bits_of(elements_of(x)) == sorted_bits_of(a) ? 0 : line, 0);
  }
  /// `algorithm(x)` leaves in x what `oracle(b)` leaves in b.
  template <class F, class Oracle>
  void expect_exactly(F algorithm, Oracle oracle, int line = __builtin_LINE()) const {
    auto x = dealt(a);
    auto b = a;
    algorithm(x);
    oracle(b);
    EXPECT_EQ(bits_of(elements_of(x)) == bits_of(b) ? 0 : line, 0);
  }
};

template <class T>
void check_orders(const numbers_of<T>& of) {
  const std::size_t n = of.a.size();
  const auto in_order = [](const std::vector<T>& all) { return std::ranges::is_sorted(all, before); };
  of.expect_same_elements([&](auto& x) { am::sort(x), EXPECT(in_order(elements_of(x))); });
  of.expect_same_elements([&](auto& x) {
    am::sort(x, std::greater<>{});
    auto all = elements_of(x);
    for (T& e : all) e = -e;
    EXPECT(in_order(all));
  });
  of.expect_same_elements([&](auto& x) { am::sort(x, before), EXPECT(in_order(elements_of(x))); });
  of.expect_same_elements([&](auto& x) { am::nth_element(x, n / 2); });
  of.expect_same_elements([&](auto& x) {
    am::vector<T> first(n / 3);
    am::partial_sort_copy(x, first);
    const auto all = elements_of(first);
    EXPECT(in_order(all) && std::ranges::includes(sorted_bits_of(of.a), sorted_bits_of(all)));
    am::partial_sort(x, n / 3);
    EXPECT(in_order(elements_of(am::views::take(x, n / 3))));
  });
  const auto by_standard = [](auto& b) { std::ranges::stable_sort(b, before); };
  of.expect_exactly([](auto& x) { am::stable_sort(x); }, by_standard);
  of.expect_exactly(
      [&](auto& x) {
        am::vector<T> values = of.dealt(of.a);
        am::sort_by_key(x, values);
        EXPECT(bits_of(elements_of(x)) == bits_of(elements_of(values)));
      },
      by_standard);
}

template <class T>
void check_moves(const numbers_of<T>& of) {
  const auto at = [](auto& b, std::size_t k) { return b.begin() + std::ptrdiff_t(k); };
  const std::size_t n = of.a.size(), k = n / 3;
  of.expect_exactly([](auto& x) { am::reverse(x); }, [](auto& b) { std::ranges::reverse(b); });
  of.expect_exactly([k](auto& x) { am::rotate(x, k); }, [&](auto& b) { std::rotate(b.begin(), at(b, k), b.end()); });
  of.expect_exactly([k](auto& x) { am::shift_left(x, k); }, [&](auto& b) { std::copy(at(b, k), b.end(), b.begin()); });
  of.expect_exactly([k](auto& x) { am::shift_right(x, k); },
                    [&](auto& b) { std::copy_backward(b.begin(), at(b, n - k), b.end()); });
  of.expect_same_elements([](auto& x) { am::shuffle(x, 7); });
}

template <class T>
void check_compactions(const numbers_of<T>& of) {
  constexpr auto both_negative = [](T e, T f) { return std::signbit(e) && std::signbit(f); };
  constexpr auto negative = [](T e) { return std::signbit(e); };
  of.expect_exactly([&](auto& x) { am::stable_partition(x, negative); },
                    [&](auto& b) { std::ranges::stable_partition(b, negative); });
  of.expect_exactly([&](auto& x) { am::remove_if(x, negative); }, [&](auto& b) { std::erase_if(b, negative); });
  of.expect_exactly([&](auto& x) { am::unique(x, both_negative); },
                    [&](auto& b) { b.erase(std::unique(b.begin(), b.end(), both_negative), b.end()); });
  of.expect_exactly(
      [&](auto& x) {
        const auto from = of.dealt(of.a);
        am::copy_if(from, x, negative);
      },
      [&](auto& b) { std::ranges::copy_if(of.a, b.begin(), negative); });
}

template <class T>
void check_sorted_ranges(const numbers_of<T>& of) {
  auto a = of.a, c = of.a, merged = a;
  std::ranges::stable_sort(a, before);
  std::ranges::reverse(c);
  std::ranges::stable_sort(c, before);
  const auto x = of.dealt(a), y = of.dealt(c);
  am::vector<T> z(2 * a.size());
  am::merge(x, y, z, before);
  merged.resize(2 * a.size());
  std::ranges::merge(a, c, merged.begin(), before);
  EXPECT(bits_of(elements_of(z)) == bits_of(merged));
  const std::size_t kept = am::set_union(x, y, z, before);
  merged.clear();
  std::ranges::set_union(a, c, std::back_inserter(merged), before);
  EXPECT(bits_of(elements_of(am::views::take(z, kept))) == bits_of(merged));
}

template <class T>
void check_all() {
  dice d(11);
  const auto check = [&d](std::size_t n, const am::distribution& how) {
    const numbers_of<T> of{special_values<T>(d, n), how};
    check_orders(of);
    check_moves(of);
    check_compactions(of);
    check_sorted_ranges(of);
  };
  check(40, am::blocks());
  check(40, am::cyclic(3));
  check(6000, am::blocks());
}

}  // namespace

RANK_TEST(floats_come_out_bit_for_bit) { check_all<float>(); }
RANK_TEST(doubles_come_out_bit_for_bit) { check_all<double>(); }
