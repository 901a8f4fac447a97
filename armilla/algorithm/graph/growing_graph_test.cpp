// SPDX-License-Identifier: Apache-2.0
// A graph that all ranks grow at once, and its frozen form.
#include "armilla/growing_graph.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "armilla/graph_algorithms.hpp"
#include "armilla/query.hpp"
#include "tests/rank_test.hpp"

namespace am = armilla;

namespace {

/// The edges of vertex `v` in a graph of n vertices: to the next one, and to its double.
std::vector<am::vertex_id> targets_of(am::vertex_id v, am::vertex_id n) { return {(v + 1) % n, 2 * v % n}; }

template <class Add>
void each_edge_of_share(am::vertex_id n, Add add) {
  for (auto v = am::vertex_id(am::rank()); v < n; v += am::vertex_id(am::ranks()))
    for (const am::vertex_id w : targets_of(v, n)) add(v, w);
}

}  // namespace

RANK_TEST(edges_are_visible_after_the_fence) {
  constexpr am::vertex_id n = 200;
  am::growing_graph<> g;
  each_edge_of_share(n, [&g](am::vertex_id v, am::vertex_id w) { g.add_edge(v, w); });
  am::fence();
  EXPECT_EQ(g.size(), n);
  EXPECT_EQ(g.count_edges(), 2 * n);
  for (const am::vertex_id v : {0U, 7U, 150U, n - 1}) {
    std::vector<am::vertex_id> found;
    for (const am::growing_edge<>& e : g.neighbours(v).get()) found.push_back(e.to);
    EXPECT(found == targets_of(v, n));
    EXPECT_EQ(g.degree(v).get(), 2U);
  }
  EXPECT(g.neighbours(n).get().empty());
  EXPECT_EQ(g.degree(n).get(), 0U);
  am::barrier();
}

RANK_TEST(it_can_grow_after_compact) {
  am::growing_graph<> g;
  if (am::rank() == 0) g.add_edge(0, 1), g.add_vertex(4);
  const am::graph<> first = g.compact();
  EXPECT_EQ(first.size(), 5U);
  EXPECT_EQ(first.edges(), 1U);
  if (am::rank() == am::ranks() - 1) g.add_edge(1, 2), g.add_edge(2, 7);
  const am::graph<> second = g.compact({.undirected = true});
  EXPECT_EQ(second.size(), 8U);
  EXPECT_EQ(second.edges(), 3U);
  EXPECT(second.undirected());
  EXPECT(second.fetch_neighbours(1) == (std::vector<am::vertex_id>{0, 2}));
  EXPECT_EQ(first.edges(), 1U);
}

RANK_TEST(compact_equals_a_graph_of_all_edges) {
  constexpr am::vertex_id n = 300;
  std::vector<am::edge> mine;
  am::growing_graph<> grown;
  each_edge_of_share(n, [&](am::vertex_id v, am::vertex_id w) { grown.add_edge(v, w), mine.push_back({v, w}); });
  const am::graph<> g = grown.compact({.in_edges = true}), whole(n, mine, {.in_edges = true});
  EXPECT_EQ(g.edges(), whole.edges());
  const am::array<std::int32_t> a = am::bfs(g, 3), b = am::bfs(whole, 3);
  EXPECT(am::equal(a, b));
}

RANK_TEST(edges_have_values_and_can_be_removed) {
  am::growing_graph<double> g;
  const auto v = am::vertex_id(am::rank());
  g.add_edge(v, 100, 0.5), g.add_edge(v, 101, 2), g.add_edge(v, 100, 3);
  am::fence();
  const std::vector<am::growing_edge<double>> all = {{100, 0.5}, {101, 2}, {100, 3}};
  EXPECT(g.neighbours(v).get() == all);
  g.erase_edges(v, 100), g.erase_edges(555, 1);
  am::fence();
  EXPECT(g.neighbours(v).get() == (std::vector<am::growing_edge<double>>{{101, 2}}));
  const am::graph<void, double> frozen = g.compact();
  EXPECT_EQ(frozen.size(), 102U);
  if (frozen.rank_of(v) == am::rank()) EXPECT_EQ(frozen.edge_data(v)[0], 2);
  EXPECT_EQ(am::sssp(frozen, 0).size(), 102U);
}

RANK_TEST(an_empty_one_compacts_to_an_empty_graph) {
  const am::growing_graph<> g;
  EXPECT_EQ(g.compact().size(), 0U);
  EXPECT_EQ(g.count_edges(), 0U);
}

RANK_TEST(over_a_team_and_by_a_handle) {
  const am::team half = am::world().split(am::rank() % 2);
  am::growing_graph<> g(half);
  am::async(
      am::rank(), [](am::growing_graph<>::handle_type h, am::vertex_id v) { h->append(v, {v + 1}); }, g.handle(),
      am::vertex_id(half.rank()));
  am::fence();
  const am::graph<> frozen = g.compact();
  EXPECT(frozen.members() == half);
  EXPECT_EQ(frozen.edges(), std::size_t(half.size()));
}

RANK_TEST(numbers_of_more_than_32_bits_are_refused) {
  constexpr std::uint64_t wide = std::uint64_t{1} << 40;
  constexpr const char* text = "vertex 1099511627776; the numbers of vertices have 32 bits, and are 4294967295 at most";
  am::growing_graph<> g(am::named("web"));
  am::growing_graph<double> h;
  const auto nothing = [](auto&) {};
  EXPECT_THROWS_SAYING(am::usage_error, text, g.add_vertex(wide));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.add_edge(0, wide));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.add_edge(wide, 0));
  EXPECT_THROWS_SAYING(am::usage_error, "\"web\"", g.add_edge(wide, 0));
  EXPECT_THROWS_SAYING(am::usage_error, "is the number negative?", g.add_edge(0, std::uint64_t(-1)));
  EXPECT_THROWS_SAYING(am::usage_error, text, h.add_edge(0, wide, 1.5));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.erase_edges(0, wide));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.neighbours(wide));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.degree(wide));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.insert(wide, {}));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.insert_or_assign(wide, {}));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.append(wide, {1}));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.erase(wide));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.try_emplace(wide));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.visit(wide, nothing));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.insert_or_visit(wide, {}, nothing));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.insert_and_visit(wide, {}, nothing));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.find(wide));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.get(wide));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.contains(wide));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.count(wide));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.test_and_insert(wide, {}));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.call(wide, nothing));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.rank_of(wide));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.find_local(wide));
  using row = std::vector<am::growing_edge<void>>;
  const std::vector<std::pair<std::uint64_t, row>> rows{{wide, {{1}}}};
  EXPECT_THROWS_SAYING(am::usage_error, text, g.insert_range(rows));
  EXPECT_THROWS_SAYING(am::usage_error, text, g.update_range(rows, [](row, const row& b) { return b; }));
  EXPECT_THROWS_SAYING(am::usage_error, text, static_cast<void>(g.find_range(std::vector<std::uint64_t>{wide})));
  am::fence();
  EXPECT_EQ(g.size(), 0U);
  EXPECT_EQ(h.size(), 0U);
  g.append(1, {2}), g.insert(3, {{4}});
  am::fence();
  EXPECT_EQ(g.count(1).get(), 1U);
  EXPECT_EQ(g.get(3).get().size(), 1U);
  const auto found = g.find_range(std::vector<std::uint64_t>{1, 2, 3});
  EXPECT(found[0] && !found[1] && found[2]);
  am::barrier();
}
