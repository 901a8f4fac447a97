// SPDX-License-Identifier: Apache-2.0
// Searches for several elements in a row, against those of the standard.
#include <atomic>
#include <chrono>
#include <thread>

#include "armilla/algorithm/ranges_test.hpp"

namespace am = armilla;
using namespace ranges_test;

namespace {

using numbers = std::vector<int>;

std::size_t index_in(const numbers& a, numbers::const_iterator found) {
  return found == a.end() ? am::npos : std::size_t(found - a.begin());
}

}  // namespace

RANK_TEST(rows_of_elements_are_found_across_borders) {
  for_random_teams(40, [](dice& d, const am::team& t) {
    const std::size_t n = d.size(), m = 1 + d.below(d.below(3) == 0 ? 40 : 4);
    const numbers a = d.numbers(n, 1), pattern = d.numbers(m, 1);  // -1 and 0
    const auto x = spread(a, d.distribution(n, t)), y = spread(pattern, d.distribution(m, t));
    const std::size_t first = index_in(a, std::search(a.begin(), a.end(), pattern.begin(), pattern.end()));
    const std::size_t last = index_in(a, std::find_end(a.begin(), a.end(), pattern.begin(), pattern.end()));
    EXPECT_EQ(am::search(x, pattern), first);
    EXPECT_EQ(am::search(x, y), first);
    EXPECT_EQ(am::find_end(x, pattern), last);
    EXPECT_EQ(am::find_end(am::views::all(x), y, std::equal_to<>{}), last);
    EXPECT_EQ(am::search_n(x, m, 0), index_in(a, std::search_n(a.begin(), a.end(), std::ptrdiff_t(m), 0)));
  });
}

RANK_TEST(a_row_of_no_elements_stands_at_either_end) {
  const am::vector<int> x(10), none(0);
  EXPECT_EQ(am::search(x, numbers{}), std::size_t{0});
  EXPECT_EQ(am::search_n(x, 0, 1), std::size_t{0});
  EXPECT_EQ(am::find_end(x, numbers{}), std::size_t{10});
  EXPECT_EQ(am::search(none, numbers{}), std::size_t{0});
  EXPECT_EQ(am::find_end(none, numbers{}), std::size_t{0});
  EXPECT_EQ(am::search(none, numbers{1}), am::npos);
}

RANK_TEST(permutations_are_told_from_others) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const std::size_t n = 1 + d.size();
    numbers a = d.numbers(n);
    const auto x = spread(a, d.distribution(n, t));
    std::ranges::shuffle(a, std::mt19937(3));
    EXPECT(am::is_permutation(x, spread(a, d.distribution(n, t))));
    a[d.below(n)] += 100;
    EXPECT(!am::is_permutation(x, spread(a, d.distribution(n, t))));
    EXPECT(!am::is_permutation(x, am::views::drop(x, 1)));
  });
}

RANK_TEST(a_comparison_that_throws_ends_a_search_on_all) {
  numbers a(100);
  std::iota(a.begin(), a.end(), 0);
  const auto x = spread(a, am::blocks());
  const auto thrower = [](int e, int) -> bool {
    if (e == 77) throw std::domain_error("not to compare");
    return false;
  };
  EXPECT_THROWS_SAYING(am::remote_error, "element 77: not to compare", am::search(x, numbers{1, 2}, thrower));
}

RANK_TEST(of_matches_on_many_ranks_the_first_is_found_in_long_ranges_too) {
  for_random_teams(6, [](dice& d, const am::team& t) {
    const std::size_t n = 70'000 + d.below(50'000);
    numbers a(n);
    for (std::size_t k = d.below(6); k > 0; --k) a[d.below(n)] = 1;
    const auto x = spread(a, d.distribution(n, t));
    const auto first = index_in(a, std::find(a.begin(), a.end(), 1));
    EXPECT_EQ(am::find(x, 1), first);
    EXPECT_EQ(am::any_of(x, [](int e) { return e == 1; }), first != am::npos);
    EXPECT_EQ(am::search_n(x, 1, 1), first);
    const numbers row{0, 0, 1};
    EXPECT_EQ(am::search(x, row), index_in(a, std::search(a.begin(), a.end(), row.begin(), row.end())));
  });
}

// The others go on slowly, once the first member has its match.
RANK_TEST(a_member_behind_a_match_of_another_ends) {
  const std::size_t part = 300'000;
  for (const bool in_a_row : {false, true}) {
    am::array<char> x(part * std::size_t(am::ranks()));
    const bool mapped = x.ptr(0).is_mapped();
    const auto first_has_it = [&] { return mapped && std::atomic_ref(*x.ptr(0).local()).load() != 0; };
    std::size_t calls = 0;
    const auto of_first = [&](char) {
      if (am::rank() == 0) {
        std::atomic_ref(x.local()[0]).store(1);
        return true;
      }
      if (++calls % 4096 != 0) return false;
      for (int ms = 0; ms == 0 || (calls == 4096 && mapped && !first_has_it() && ms < 10'000); ++ms)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      return false;
    };
    EXPECT_EQ(in_a_row ? am::search_n(x, 1, 0, [&](char e, int) { return of_first(e); }) : am::find_if(x, of_first), 0U);
    if (am::rank() != 0 && mapped) EXPECT_LT(calls, part);
    am::barrier();
  }
}
