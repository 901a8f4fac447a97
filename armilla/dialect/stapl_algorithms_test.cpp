// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <numeric>
#include <vector>

#include <armilla/armilla.hpp>
#include <armilla/dialect/stapl.hpp>
#include <armilla/dialect/stapl_algorithms.hpp>
#include <armilla/dialect/stapl_every_algorithm.hpp>
#include <armilla/graph.hpp>

#include "tests/rank_test.hpp"

namespace am = armilla;

RANK_TEST(p_algorithms_take_pvectors) {
  stapl::pvector<int> v(100), w(100);
  stapl::p_iota(v, 0);
  stapl::p_transform(v, w, [](int x) { return 99 - x; });
  EXPECT_EQ(stapl::p_reduce(w), 4950);
  EXPECT_EQ(stapl::p_minmax(w), std::pair(0, 99));
  EXPECT_EQ(stapl::p_count_if(w, [](int x) { return x % 2 == 0; }), 50U);
  stapl::p_stable_sort(w, std::less<>{});
  EXPECT(stapl::p_equal(v, w) && stapl::p_is_sorted(w));
  stapl::p_partial_sum(v, w);
  EXPECT_EQ(std::vector<int>(w)[99], 4950);
}

RANK_TEST(p_algorithms_give_what_the_library_gives) {
  stapl::pvector<int> v(50);
  stapl::p_iota(v, 0);
  const am::array<std::size_t> order = stapl::p_argsort(v, std::greater<>{});
  EXPECT_EQ(order.get(0).get(), 49U);
  EXPECT_EQ(stapl::p_find_if(v, [](int x) { return x > 60; }), am::npos);
}

RANK_TEST(p_algorithms_take_the_librarys_own_containers) {
  am::vector<int> v(100);
  stapl::p_fill(v, 2);
  EXPECT_EQ(stapl::p_reduce(v, 0, std::plus<>{}), 200);
  const std::vector<am::edge> ring = am::rank() == 0 ? std::vector<am::edge>{{0, 1}, {1, 2}, {2, 0}} : std::vector<am::edge>{};
  const am::graph<> g(4, ring);
  EXPECT_EQ(stapl::p_bfs(g, am::vertex_id{0}).get(2).get(), 2);
}
