// SPDX-License-Identifier: Apache-2.0
// Shortest paths and depth-first search against one thread that has all edges.
#include <cmath>
#include <limits>
#include <queue>

#include "armilla/algorithm/graph/graphs_test.hpp"

namespace am = armilla;
using namespace graphs_test;

namespace {

std::vector<std::int64_t> shortest(const oracle& g, std::size_t root) {
  using entry = std::pair<std::int64_t, std::size_t>;
  std::vector<std::int64_t> distance(g.out.size(), std::numeric_limits<std::int64_t>::max());
  std::priority_queue<entry, std::vector<entry>, std::greater<>> next;
  next.emplace(distance[root] = 0, root);
  while (!next.empty()) {
    const auto [d, v] = next.top();
    next.pop();
    if (d != distance[v]) continue;
    for (std::size_t k = 0; k < g.out[v].size(); ++k)
      if (d + g.weight[v][k] < distance[g.out[v][k]]) next.emplace(distance[g.out[v][k]] = d + g.weight[v][k], g.out[v][k]);
  }
  return distance;
}

void enter(const lists& out, std::size_t v, std::vector<std::int64_t>& order, std::int64_t& count) {
  order[v] = count++;
  for (const auto w : out[v])
    if (order[w] < 0) enter(out, w, order, count);
}

}  // namespace

RANK_TEST(lengths_of_paths_are_those_of_one_rank) {
  for_random_teams(30, [](dice& d, const am::team& t) {
    const small_graph s = a_graph(d);
    if (s.n == 0) return;
    const am::graph_options how = some_options(d, t);
    const std::vector<std::int64_t> right = [&, root = d.below(s.n)] {
      const am::graph<void, int> g(s.n, share_of(s.all, t), how);
      const double deltas[] = {0, 0.01, 3, 1000};
      const auto expected = shortest(oracle(s, how), root);
      EXPECT_EQ(elements_of(am::sssp(g, root, {.delta = deltas[d.below(4)]})), expected);
      return expected;
    }();
    EXPECT_EQ(right.size(), s.n);
  });
}

RANK_TEST(lengths_are_real_numbers_where_weights_are) {
  const std::vector<am::weighted_edge<double>> all = {{0, 1, 0.5}, {1, 2, 0.25}, {0, 2, 1.0}, {3, 0, 1.0}};
  const am::graph<void, double> g(4, am::rank() == 0 ? all : std::vector<am::weighted_edge<double>>{});
  const std::vector<double> expected = {0, 0.5, 0.75, am::no_path<double>};
  EXPECT_EQ(elements_of(am::sssp(g, 0)), expected);
}

RANK_TEST(paths_as_long_as_integers_get_are_no_paths) {
  const std::int64_t half = std::numeric_limits<std::int64_t>::max() / 2 + 1;
  const std::vector<am::weighted_edge<std::int64_t>> all = {{0, 1, half}, {1, 2, half}};
  const am::graph<void, std::int64_t> g(3, am::rank() == 0 ? all : std::vector<am::weighted_edge<std::int64_t>>{});
  const std::vector<std::int64_t> expected = {0, half, am::no_path<std::int64_t>};
  EXPECT_EQ(elements_of(am::sssp(g, 0)), expected);
}

// Sums of such floats are rounded up by more than the width of a bucket.
RANK_TEST(lengths_that_are_rounded_up_lose_no_vertex) {
  const std::size_t n = 2200;
  const float weight = 1 + 0.75F / 2048;
  std::vector<am::weighted_edge<float>> path;
  for (std::size_t v = 0; v + 1 < n && am::rank() == 0; ++v) path.push_back({v, v + 1, weight});
  const am::graph<void, float> g(n, path);
  std::vector<float> expected(n, 0);
  for (std::size_t v = 1; v < n; ++v) expected[v] = expected[v - 1] + weight;
  EXPECT_EQ(elements_of(am::sssp(g, 0, {.delta = 1e-9})), expected);
}

RANK_TEST(weights_may_be_as_small_as_numbers_get) {
  const double least = std::numeric_limits<double>::denorm_min();
  const std::vector<am::weighted_edge<double>> all = {{0, 1, least}, {1, 2, least}, {0, 2, least}, {1, 0, least}, {2, 0, least}};
  const am::graph<void, double> g(3, am::rank() == 0 ? all : std::vector<am::weighted_edge<double>>{});
  const std::vector<double> expected = {0, least, least};
  EXPECT_EQ(elements_of(am::sssp(g, 0)), expected);
}

RANK_TEST(weights_of_no_use_are_refused_by_all) {
  const am::rank_t last = am::ranks() - 1;
  const auto with = [&](double w) {
    const std::vector<am::weighted_edge<double>> one = {{0, 1, w}};
    return am::graph<void, double>(2, am::rank() == last ? one : std::vector<am::weighted_edge<double>>{});
  };
  EXPECT_THROWS_SAYING(am::usage_error, "a weight is below 0", am::sssp(with(-1), 0));
  EXPECT_THROWS_SAYING(am::usage_error, "no number", am::sssp(with(std::nan("")), 0));
  EXPECT_THROWS_SAYING(am::usage_error, "infinite", am::sssp(with(am::no_path<double>), 0));
  EXPECT_THROWS_SAYING(am::usage_error, "a delta of -2", am::sssp(with(1), 0, {.delta = -2}));
  EXPECT_THROWS_SAYING(am::usage_error, "vertex 2 of a graph of 2 vertices", am::sssp(with(1), 2));
}

RANK_TEST(a_weight_beyond_the_lengths_of_paths_is_refused) {
  const std::vector<am::weighted_edge<std::uint64_t>> one = {{0, 1, std::uint64_t{1} << 63}};
  const am::graph<void, std::uint64_t> g(2, am::rank() == 0 ? one : std::vector<am::weighted_edge<std::uint64_t>>{});
  EXPECT_THROWS_SAYING(am::usage_error, "beyond 63 bits", am::sssp(g, 0));
}

RANK_TEST(a_search_enters_vertices_in_the_order_of_one_rank) {
  for_random_teams(30, [](dice& d, const am::team& t) {
    const small_graph s = a_graph(d);
    if (s.n == 0) return;
    const am::graph_options how = some_options(d, t);
    const am::graph<> g(s.n, share_of(s.all, t), how);
    const std::size_t root = d.below(s.n);
    std::vector<std::int64_t> order(s.n, -1);
    std::int64_t count = 0;
    enter(oracle(s, how).out, root, order, count);
    EXPECT_EQ(elements_of(am::dfs(g, root)), order);
  });
}

RANK_TEST(a_search_goes_deep) {
  edges path;
  for (std::size_t v = 0; v + 1 < 20'000; ++v) path.push_back({v * 7919 % 20'000, (v + 1) * 7919 % 20'000, 1});
  const am::graph<> g(20'000, share_of(path, am::world()), {.undirected = true});
  const auto order = elements_of(am::dfs(g, 0));
  bool right = true;
  for (std::size_t v = 0; v < order.size(); ++v) right = right && order[v * 7919 % 20'000] == std::int64_t(v);
  EXPECT(right);
  EXPECT_THROWS_SAYING(am::usage_error, "vertex 20000", am::dfs(g, 20'000));
}
