// SPDX-License-Identifier: Apache-2.0
// On which rank an algorithm calls a user's function: where the element is, or where the first range that is written has its
// place, however elements are dealt.
#include <functional>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

using numbers = am::vector<int>;
constexpr std::size_t length = 60;

/// Counts the calls for elements that another rank has: each element is its index.
struct watch {
  const numbers& owner;
  int foreign = 0, calls = 0;

  bool operator()(int e) {
    ++calls;
    foreign += owner.rank_of(std::size_t(e)) != am::rank() ? 1 : 0;
    return e % 3 == 0;
  }
  auto predicate() {
    return [this](int e) { return (*this)(e); };
  }
  void expect_own(const char* algorithm) {
    const int all = am::all_reduce(calls, std::plus<>{}), strange = am::all_reduce(foreign, std::plus<>{});
    if (all == 0 || strange != 0) rank_test::fail(__FILE__, __LINE__, algorithm);
    foreign = calls = 0;
  }
};

numbers numbered(const am::distribution& d) {
  numbers x(length, d);
  am::for_each_index(x, [](std::size_t i, int& e) { e = int(i); });
  return x;
}

template <class F>
void over_all_distributions(F f) {
  dice d(5);
  for (std::size_t way = 0; way < dice::ways; ++way) {
    const numbers x = numbered(d.distribution(way, length, am::world()));
    watch seen{x};
    f(x, seen, d.distribution((way + 1) % dice::ways, length, am::world()));
  }
}

}  // namespace

RANK_TEST(predicates_are_asked_where_the_element_is) {
  over_all_distributions([](const numbers& x, watch& seen, const am::distribution& other) {
    numbers out(length, other), no(length, other);
    const auto p = seen.predicate();
    const auto check = [&](const char* name, auto algorithm) {
      algorithm();
      seen.expect_own(name);
    };
    check("count_if", [&] { am::count_if(x, p); });
    check("find_if", [&] { am::find_if(x, p); });
    check("copy_if", [&] { am::copy_if(x, out, p); });
    check("remove_copy_if", [&] { am::remove_copy_if(x, out, p); });
    check("partition_copy", [&] { am::partition_copy(x, out, no, p); });
    check("copy of a filter", [&] { am::copy(am::views::filter(x, p), out); });
    check("sum of a filter", [&] { am::reduce(am::views::filter(x, p)); });
    check("pack", [&] { am::pack(x, p); });
    check("pack_index", [&] { am::pack_index(x, p); });
    check("pack of a part", [&] { am::pack(am::views::drop(x, 7), p); });
    check("copy_if from the last", [&] { am::copy_if(am::views::reverse(x), out, p); });
    check("partition_point", [&] { am::partition_point(x, p); });
    check("remove_if", [&] {
      auto y = x.clone();
      am::remove_if(y, p);
    });
    check("stable_partition", [&] {
      auto y = x.clone();
      am::stable_partition(y, p);
    });
    check("replace_if", [&] {
      auto y = x.clone();
      am::replace_if(y, p, -1);
    });
  });
}

RANK_TEST(functions_are_called_where_the_output_is) {
  over_all_distributions([](const numbers& x, watch& seen, const am::distribution& other) {
    numbers y = numbered(other);
    watch of_output{y};
    const auto check = [&](watch& w, const char* name, auto algorithm) {
      algorithm();
      w.expect_own(name);
      am::for_each_index(y, [](std::size_t i, int& e) { e = int(i); });
    };
    check(seen, "transform into itself", [&] {
      auto z = x.clone();
      am::transform(z, z, seen.predicate());
    });
    check(of_output, "transform", [&] { am::transform(x, y, of_output.predicate()); });
    check(of_output, "transform of two", [&] { am::transform(x, x, y, [&](int a, int) { return of_output(a); }); });
    check(of_output, "replace_copy_if", [&] { am::replace_copy_if(x, y, of_output.predicate(), 0); });
    check(of_output, "for_each of a zip", [&] {
      am::for_each(am::views::zip(x, y), [&](const int& a, int& b) {
        of_output(a);
        b = a;
      });
    });
    check(of_output, "adjacent_difference", [&] {
      am::adjacent_difference(x, y, [&](int a, int b) {
        of_output(a);
        return a - b;
      });
    });
    check(of_output, "transform of a view",
          [&] { am::transform(am::views::transform(x, of_output.predicate()), y, [](bool e) { return int(e); }); });
  });
}

RANK_TEST(what_is_packed_stays_where_it_was) {
  over_all_distributions([](const numbers& x, watch&, const am::distribution&) {
    const auto kept = am::pack(x, [](int e) { return e % 3 == 0; });
    EXPECT_EQ(kept.size(), length / 3);
    for (const int e : kept.local()) EXPECT_EQ(x.rank_of(std::size_t(e)), am::rank());
    EXPECT(std::ranges::is_sorted(kept.local()));
    am::barrier();
  });
}

RANK_TEST(what_is_kept_is_in_the_order_of_indices) {
  over_all_distributions([](const numbers& x, watch&, const am::distribution& other) {
    const auto third = [](int e) { return e % 3 == 0; };
    std::vector<int> expected;
    for (int i = 0; i < int(length); i += 3) expected.push_back(i);
    numbers out(length, other);
    EXPECT_EQ(am::copy_if(x, out, third), expected.size());
    EXPECT_EQ(elements_of(am::views::take(out, expected.size())), expected);
    am::vector<std::string> words(length, other);
    am::transform(x, words, [](int e) { return std::to_string(100 + e); });
    am::vector<std::string> some(length);
    const std::size_t n = am::copy_if(words, some, [](const std::string& w) { return w.back() == '0'; });
    EXPECT_EQ(elements_of(am::views::take(some, n)), (std::vector<std::string>{"100", "110", "120", "130", "140", "150"}));
  });
}
