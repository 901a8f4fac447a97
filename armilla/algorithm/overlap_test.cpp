// SPDX-License-Identifier: Apache-2.0
// Each algorithm with an output, where that shares elements with what is read: the result is right, or all members throw and
// nothing has changed.
#include <functional>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

using numbers = std::vector<int>;

enum class outcome { right, refused };

/// The output is the input, begins one element before or behind it, or is it from the last element to the first.
enum class place { same, left, right, reversed };
constexpr place places[] = {place::same, place::left, place::right, place::reversed};

constexpr std::size_t length = 24;
bool odd(int e) { return e % 2 != 0; }
int twice(int e) { return 2 * e; }

/// Of a row of the table: what comes out where the places are the same, shifted, reversed.
struct outcomes {
  outcome same, shifted, reversed;
  outcome of(place p) const { return p == place::same ? same : p == place::reversed ? reversed : shifted; }
};
constexpr outcomes any{outcome::right, outcome::right, outcome::right},
    none{outcome::refused, outcome::refused, outcome::refused}, by_place{outcome::right, outcome::refused, outcome::refused};

/// Runs `algorithm(in, out)` for each place and each way to deal; `standard(in, out)` does the same with a copy of the input.
template <class Algorithm, class Standard>
void check(const char* name, const outcomes& expected, Algorithm algorithm, Standard standard) {
  dice d(7);
  for (const place p : places)
    for (std::size_t way = 0; way < dice::ways; ++way) {
      numbers all(length + 1);
      std::iota(all.begin(), all.end(), 0);
      for (int& e : all) e = e / 2 * 3 % 31;
      std::sort(all.begin(), all.end());
      auto x = spread(all, d.distribution(way, all.size(), am::world()));
      const std::size_t in_begin = p == place::left ? 1 : 0, out_begin = p == place::right ? 1 : 0;
      const auto in = am::views::slice(std::as_const(x), in_begin, in_begin + length);
      const auto out = am::views::slice(x, out_begin, out_begin + length);
      const auto run = [&] { p == place::reversed ? algorithm(in, am::views::reverse(out)) : algorithm(in, out); };
      if (expected.of(p) == outcome::refused) {
        EXPECT_THROWS_SAYING(am::usage_error, name, run());
      } else {
        run();
        const numbers read(all.begin() + std::ptrdiff_t(in_begin), all.begin() + std::ptrdiff_t(in_begin + length));
        numbers written(all.begin() + std::ptrdiff_t(out_begin), all.begin() + std::ptrdiff_t(out_begin + length));
        if (p == place::reversed) std::ranges::reverse(written);
        standard(read, written);
        if (p == place::reversed) std::ranges::reverse(written);
        std::ranges::copy(written, all.begin() + std::ptrdiff_t(out_begin));
      }
      EXPECT_EQ(elements_of(x), all);
    }
}

}  // namespace

RANK_TEST(elementwise) {
  check(
      "copy", by_place, [](auto& in, const auto& out) { am::copy(in, out); },
      [](const numbers& in, numbers& out) { std::ranges::copy(in, out.begin()); });
  check(
      "transform", by_place, [](auto& in, const auto& out) { am::transform(in, out, twice); },
      [](const numbers& in, numbers& out) { std::ranges::transform(in, out.begin(), twice); });
  check(
      "transform", by_place, [](auto& in, const auto& out) { am::transform(am::views::iota(0, length), in, out, std::plus<>{}); },
      [](const numbers& in, numbers& out) {
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = int(i) + in[i];
      });
  check(
      "axpy", by_place, [](auto& in, const auto& out) { am::axpy(2, in, out); },
      [](const numbers& in, numbers& out) {
        for (std::size_t i = 0; i < in.size(); ++i) out[i] += 2 * in[i];
      });
}

RANK_TEST(moves) {
  check(
      "reverse_copy", {outcome::refused, outcome::refused, outcome::right},
      [](auto& in, const auto& out) { am::reverse_copy(in, out); },
      [](const numbers& in, numbers& out) { std::ranges::reverse_copy(in, out.begin()); });
  check("rotate_copy", none, [](auto& in, const auto& out) { am::rotate_copy(in, 5, out); }, [](const numbers&, numbers&) {});
  check("sample", none, [](auto& in, const auto& out) { am::sample(in, out, 3); }, [](const numbers&, numbers&) {});
}

RANK_TEST(swaps) {
  am::vector<int> x(length);
  am::iota(x, 0);
  const numbers before = elements_of(x);
  am::swap_ranges(x, x);
  EXPECT_EQ(elements_of(x), before);
  EXPECT_THROWS_SAYING(am::usage_error, "swap_ranges", am::swap_ranges(am::views::drop(x, 1), am::views::take(x, length - 1)));
  EXPECT_THROWS_SAYING(am::usage_error, "swap_ranges", am::swap_ranges(x, am::views::reverse(x)));
  am::swap_ranges(am::views::take(x, 4), am::views::drop(x, length - 4));
  numbers expected = before;
  std::swap_ranges(expected.begin(), expected.begin() + 4, expected.end() - 4);
  EXPECT_EQ(elements_of(x), expected);
  am::barrier();
}

RANK_TEST(scans) {
  check(
      "inclusive_scan", by_place, [](auto& in, const auto& out) { am::inclusive_scan(in, out); },
      [](const numbers& in, numbers& out) { std::inclusive_scan(in.begin(), in.end(), out.begin()); });
  check(
      "exclusive_scan", by_place, [](auto& in, const auto& out) { am::exclusive_scan(in, out, 3); },
      [](const numbers& in, numbers& out) { std::exclusive_scan(in.begin(), in.end(), out.begin(), 3); });
  check(
      "transform_inclusive_scan", by_place,
      [](auto& in, const auto& out) { am::transform_inclusive_scan(in, out, std::plus<>{}, twice); },
      [](const numbers& in, numbers& out) {
        std::transform_inclusive_scan(in.begin(), in.end(), out.begin(), std::plus<>{}, twice);
      });
  check(
      "inclusive_scan_by_key", any, [](auto& in, const auto& out) { am::inclusive_scan_by_key(in, in, out); },
      [](const numbers& in, numbers& out) {
        for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i] + (i > 0 && in[i] == in[i - 1] ? out[i - 1] : 0);
      });
  check(
      "adjacent_difference", any, [](auto& in, const auto& out) { am::adjacent_difference(in, out); },
      [](const numbers& in, numbers& out) { std::adjacent_difference(in.begin(), in.end(), out.begin()); });
}

RANK_TEST(what_is_kept) {
  check(
      "copy_if", any, [](auto& in, const auto& out) { am::copy_if(in, out, odd); },
      [](const numbers& in, numbers& out) { std::ranges::copy_if(in, out.begin(), odd); });
  check(
      "copy", any, [](auto& in, const auto& out) { am::copy(am::views::filter(in, odd), out); },
      [](const numbers& in, numbers& out) { std::ranges::copy_if(in, out.begin(), odd); });
  check(
      "unique_copy", any, [](auto& in, const auto& out) { am::unique_copy(in, out); },
      [](const numbers& in, numbers& out) { std::ranges::unique_copy(in, out.begin()); });
  am::vector<int> no(length);
  check(
      "partition_copy", any, [&](auto& in, const auto& out) { am::partition_copy(in, out, no, odd); },
      [](const numbers& in, numbers& out) { std::ranges::copy_if(in, out.begin(), odd); });
  EXPECT_THROWS_SAYING(am::usage_error, "partition_copy", am::partition_copy(am::views::iota(0, length), no, no, odd));
}

RANK_TEST(orders) {
  am::vector<int> other(length, 3);
  const auto set = [&](const char* name, const outcomes& expected, auto algorithm, auto standard) {
    check(
        name, expected, [&](auto& in, const auto& out) { algorithm(in, am::views::take(std::as_const(other), 4), out); },
        [&](const numbers& in, numbers& out) {
          const numbers four(4, 3);
          numbers made;
          standard(in, four, std::back_inserter(made));
          std::ranges::copy(made, out.begin());
        });
  };
  set(
      "set_intersection", any, [](auto& a, auto b, const auto& out) { am::set_intersection(a, b, out); },
      [](auto& a, auto& b, auto out) { std::ranges::set_intersection(a, b, out); });
  set(
      "set_difference", any, [](auto& a, auto b, const auto& out) { am::set_difference(a, b, out); },
      [](auto& a, auto& b, auto out) { std::ranges::set_difference(a, b, out); });
  set(
      "merge", none, [](auto& a, auto b, const auto& out) { am::merge(am::views::take(a, 12), b, out); },
      [](auto&, auto&, auto) {});
  check(
      "partial_sort_copy", any, [](auto& in, const auto& out) { am::partial_sort_copy(in, out, std::greater<>{}); },
      [](const numbers& in, numbers& out) { std::ranges::partial_sort_copy(in, out, std::greater<>{}); });
  am::vector<int> x(length);
  EXPECT_THROWS_SAYING(am::usage_error, "sort_by_key", am::sort_by_key(x, x));
}

// Parts of one container that share no element are what programs copy most.
RANK_TEST(parts_that_are_apart_are_no_overlap) {
  am::vector<int> x(length);
  am::iota(x, 0);
  am::copy(am::views::take(std::as_const(x), length / 2), am::views::drop(x, length / 2));
  am::copy(am::views::stride(std::as_const(x), 2), am::views::stride(am::views::drop(x, 1), 2));
  numbers all = elements_of(x);
  for (std::size_t i = 0; i < length; ++i) EXPECT_EQ(all[i], int(i % (length / 2) / 2 * 2));
  am::matrix<int> a({6, 4});
  am::iota(a, 0);
  am::copy(am::views::row(std::as_const(a), 0), am::views::row(a, 5));
  am::copy(am::views::column(std::as_const(a), 1), am::views::column(a, 2));
  EXPECT_EQ(elements_of(am::views::row(a, 5)), (numbers{0, 1, 1, 3}));
  EXPECT_THROWS_SAYING(am::usage_error, "copy",
                       am::copy(am::views::take(am::views::row(a, 0), 4), am::views::take(am::views::column(a, 0), 4)));
}

RANK_TEST(parts_that_lie_between_each_other_are_allowed) {
  am::vector<int> x(length);
  am::iota(x, 0);
  numbers expected = elements_of(x);
  expected[2] = 0, expected[8] = 4;
  am::copy(am::views::take(am::views::stride(x, 4), 2), am::views::take(am::views::stride(am::views::drop(x, 2), 6), 2));
  EXPECT_EQ(elements_of(x), expected);
  EXPECT_THROWS(am::usage_error, am::copy(am::views::take(am::views::stride(x, 4), 3),
                                          am::views::take(am::views::stride(am::views::drop(x, 2), 6), 3)));  // both have x[8]
  am::barrier();
}
