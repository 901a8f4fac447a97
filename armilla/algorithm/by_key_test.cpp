// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "armilla/algorithm/top_k.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {
using entries = std::vector<std::pair<std::string, long>>;
}

RANK_TEST(top_k_gives_the_same_on_every_rank_as_sorting_all_would) {
  am::unordered_map<std::string, long> m;
  entries all;
  std::mt19937 random(3);
  for (int i = 0; i < 500; ++i) {
    all.emplace_back("key " + std::to_string(i), long(random() % 50));  // many are equal
    if (am::rank() == i % am::ranks()) m.insert(all.back().first, all.back().second);
  }
  am::fence();
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.second != b.second ? a.second > b.second : a.first < b.first; });
  for (const std::size_t n : {0U, 1U, 10U, 499U, 500U, 1000U}) {
    const entries best = am::top_k(m, n);
    EXPECT(best == entries(all.begin(), all.begin() + std::ptrdiff_t(std::min<std::size_t>(n, all.size()))));
  }
}

RANK_TEST(top_k_goes_by_any_projection_and_over_any_team) {
  const am::team half = am::world().split(am::rank() % 2);
  am::unordered_map<int, std::string> m(half);
  for (int i = 0; i < 20; ++i) m.insert(i, std::string(std::size_t(i * 7 % 20), 'x'));
  half.fence();
  const auto longest = am::top_k(m, 2, [](const auto& e) { return e.second.size(); });
  EXPECT_EQ(longest.size(), 2U);
  EXPECT_EQ(longest[0].second.size(), 19U);
  EXPECT_EQ(longest[1].second.size(), 18U);
  EXPECT_EQ(am::top_k(m, 1, am::by_key)[0].first, 19);
  am::unordered_set<int> s(half);
  for (int i = 0; i < 20; ++i) s.insert(i);
  half.fence();
  EXPECT_EQ(am::top_k(s, 3, std::identity{}), (std::vector<int>{19, 18, 17}));
}

RANK_TEST(top_k_of_nothing_is_nothing) {
  am::unordered_map<int, int> m;
  EXPECT_EQ(am::top_k(m, 5).size(), 0U);
}

RANK_TEST_MAIN()
