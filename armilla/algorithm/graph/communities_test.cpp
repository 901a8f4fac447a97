// SPDX-License-Identifier: Apache-2.0
// Triangles, cores, labels, spanning forests and betweenness against one thread that has all edges.
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "armilla/algorithm/graph/graphs_test.hpp"

namespace am = armilla;
using namespace graphs_test;

namespace {

am::graph_options undirected(dice& d, const am::team& t) {
  am::graph_options how = some_options(d, t);
  how.undirected = true;
  return how;
}

std::uint64_t triangles_of(const lists& out) {
  std::vector<std::set<am::vertex_id>> near;
  for (const auto& row : out) near.emplace_back(row.begin(), row.end());
  std::uint64_t count = 0;
  for (std::size_t a = 0; a < near.size(); ++a)
    for (const auto b : near[a])
      for (const auto c : near[b]) count += a < b && b < c && near[a].contains(c);
  return count;
}

/// Takes a vertex with the fewest edges away, one after the other.
std::vector<std::uint32_t> cores_of(const lists& out) {
  std::vector<std::uint32_t> left(out.size(), 0), core(out.size(), 0);
  std::set<std::pair<std::uint32_t, std::size_t>> stay;
  for (std::size_t v = 0; v < out.size(); ++v) {
    for (const auto w : out[v]) left[v] += w != v;
    stay.emplace(left[v], v);
  }
  for (std::uint32_t level = 0; !stay.empty();) {
    const auto [least, v] = *stay.begin();
    stay.erase(stay.begin());
    core[v] = level = std::max(level, least);
    for (const auto w : out[v])
      if (w != v && stay.erase({left[w], w}) != 0) stay.emplace(--left[w], w);
  }
  return core;
}

std::vector<am::vertex_id> labels_of(const lists& out, bool directed, int rounds) {
  lists near = out;
  for (std::size_t v = 0; directed && v < out.size(); ++v)
    for (const auto w : out[v]) near[w].push_back(am::vertex_id(v));
  std::vector<am::vertex_id> label(out.size());
  std::iota(label.begin(), label.end(), am::vertex_id{0});
  for (int round = 0; round < rounds; ++round) {
    std::vector<am::vertex_id> fresh = label;
    for (std::size_t v = 0; v < near.size(); ++v) {
      std::map<am::vertex_id, int> count;
      for (const auto w : near[v]) ++count[label[w]];
      int most = 0;
      for (const auto& [l, n] : count)
        if (n > most) most = n, fresh[v] = l;
    }
    label = fresh;
  }
  return label;
}

using flat_edge = std::tuple<int, std::uint64_t, std::uint64_t>;

std::vector<flat_edge> forest_of(const oracle& g) {
  std::vector<flat_edge> all, kept;
  for (std::size_t v = 0; v < g.out.size(); ++v)
    for (std::size_t k = 0; k < g.out[v].size(); ++k)
      if (g.out[v][k] > v) all.emplace_back(g.weight[v][k], v, g.out[v][k]);
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> part(g.out.size());
  std::iota(part.begin(), part.end(), std::size_t{0});
  for (const auto& e : all) {
    const std::size_t a = part[std::get<1>(e)], b = part[std::get<2>(e)];
    if (a == b) continue;
    std::replace(part.begin(), part.end(), a, b);
    kept.push_back(e);
  }
  return kept;
}

/// Of each source all shortest paths, by their numbers from it and to it.
std::vector<double> shares_of(const lists& out, const std::vector<am::vertex_id>& sources) {
  const std::size_t n = out.size();
  std::vector<double> sum(n, 0);
  for (const auto s : sources) {
    std::vector<std::size_t> queue{s};
    std::vector<int> depth(n, -1);
    std::vector<double> paths(n, 0), share(n, 0);
    depth[s] = 0, paths[s] = 1;
    for (std::size_t k = 0; k < queue.size(); ++k)
      for (const auto w : out[queue[k]]) {
        if (depth[w] < 0) depth[w] = depth[queue[k]] + 1, queue.push_back(w);
        if (depth[w] == depth[queue[k]] + 1) paths[w] += paths[queue[k]];
      }
    for (std::size_t k = queue.size(); k-- > 0;) {
      const std::size_t v = queue[k];
      for (const auto w : out[v])
        if (depth[w] == depth[v] + 1) share[v] += paths[v] / paths[w] * (1 + share[w]);
      if (v != s) sum[v] += share[v];
    }
  }
  return sum;
}

}  // namespace

RANK_TEST(triangles_are_those_of_one_rank) {
  for_random_teams(25, [](dice& d, const am::team& t) {
    const small_graph s = a_graph(d);
    const am::graph_options how = undirected(d, t);
    const am::graph<> g(s.n, share_of(s.all, t), how);
    EXPECT_EQ(am::triangles(g), triangles_of(oracle(s, how).out));
  });
}

// Degrees differ, and are too many for the rows as they are.
RANK_TEST(triangles_around_vertices_with_many_edges_are_those_of_one_rank) {
  for_random_teams(10, [](dice& d, const am::team& t) {
    small_graph s{60, random_edges(d, 60, 500)};
    for (const am::weighted_edge<int>& e : random_edges(d, 20, 400)) s.all.push_back({e.from * 3, e.to, e.weight});
    const am::graph_options how = undirected(d, t);
    const am::graph<> g(s.n, share_of(s.all, t), how);
    EXPECT_EQ(am::triangles(g), triangles_of(oracle(s, how).out));
  });
}

RANK_TEST(cores_are_those_of_one_rank) {
  for_random_teams(25, [](dice& d, const am::team& t) {
    const small_graph s = a_graph(d);
    const am::graph_options how = undirected(d, t);
    const am::graph<> g(s.n, share_of(s.all, t), how);
    EXPECT_EQ(elements_of(am::k_core(g)), cores_of(oracle(s, how).out));
  });
}

RANK_TEST(labels_are_those_of_one_rank) {
  for_random_teams(25, [](dice& d, const am::team& t) {
    const small_graph s = a_graph(d);
    am::graph_options how = some_options(d, t);
    how.in_edges = true;
    const am::graph<> g(s.n, share_of(s.all, t), how);
    const int rounds = int(d.below(8));
    EXPECT_EQ(elements_of(am::label_propagation(g, rounds)), labels_of(oracle(s, how).out, !how.undirected, rounds));
  });
}

RANK_TEST(forests_are_those_of_one_rank) {
  for_random_teams(25, [](dice& d, const am::team& t) {
    const small_graph s = a_graph(d);
    const am::graph_options how = undirected(d, t);
    const am::graph<void, int> g(s.n, share_of(s.all, t), how);
    std::vector<flat_edge> all;
    for (const auto& e : t.all_gather_v(am::minimum_spanning_forest(g))) all.emplace_back(e.weight, e.from, e.to);
    std::sort(all.begin(), all.end());
    EXPECT(all == forest_of(oracle(s, how)));
  });
}

// Weights that are dealt into pieces of many, some below 0, in the order of the whole ones.
RANK_TEST(forests_of_numbers_far_apart_are_those_of_small_ones) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const small_graph s = a_graph(d);
    const am::graph_options how = undirected(d, t);
    std::vector<am::weighted_edge<double>> far;
    for (const auto& e : share_of(s.all, t)) far.push_back({e.from, e.to, std::pow(e.weight - 3, 9) * 1e-5});
    const am::graph<void, int> small(s.n, share_of(s.all, t), how);
    const am::graph<void, double> large(s.n, far, how);
    const auto right = am::minimum_spanning_forest(small);
    const auto got = am::minimum_spanning_forest(large);
    EXPECT_EQ(got.size(), right.size());
    for (std::size_t k = 0; k < std::min(got.size(), right.size()); ++k)
      EXPECT(got[k].from == right[k].from && got[k].to == right[k].to &&
             got[k].weight == std::pow(right[k].weight - 3, 9) * 1e-5);
  });
}

RANK_TEST(each_rank_gets_the_forest_of_its_vertices) {
  const am::graph<void, int> g(144, share_of(grid(12), am::world()), {.undirected = true});
  const auto mine = am::minimum_spanning_forest(g);
  for (const auto& e : mine) EXPECT_EQ(g.rank_of(e.from), am::rank());
  EXPECT_EQ(am::all_reduce(mine.size(), std::plus<>{}), 143U);
}

RANK_TEST(betweenness_is_that_of_one_rank) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const small_graph s = a_graph(d);
    am::graph_options how = some_options(d, t);
    how.in_edges = true;
    const am::graph<> g(s.n, share_of(s.all, t), how);
    std::vector<am::vertex_id> sources;
    for (std::size_t k = s.n == 0 ? 0 : d.below(4); k > 0; --k) sources.push_back(am::vertex_id(d.below(s.n)));
    const auto got = elements_of(am::betweenness(g, sources));
    const auto right = shares_of(oracle(s, how).out, sources);
    for (std::size_t v = 0; v < s.n; ++v) EXPECT(std::abs(got[v] - right[v]) <= 1e-9 * (1 + right[v]));
  });
}

// A chain of diamonds: two ways through each, 2^1100 from end to end.
RANK_TEST(betweenness_counts_more_paths_than_a_double_can) {
  const std::size_t diamonds = 1100, n = 3 * diamonds + 1;
  edges chain;
  for (am::vertex_id v = 0; v + 1 < n; v += 3)
    for (const am::vertex_id way : {v + 1, v + 2}) chain.insert(chain.end(), {{v, way, 1}, {way, v + 3, 1}});
  const am::graph<> g(n, share_of(chain, am::world()), {.undirected = true});
  const std::vector<am::vertex_id> sources = {0};
  const auto got = elements_of(am::betweenness(g, sources));
  for (std::size_t v = 1; v < n; ++v) EXPECT_EQ(got[v], v % 3 == 0 ? double(n - v - 1) : 0.5 * double(n - (v + 2) / 3 * 3));
}

RANK_TEST(graphs_that_lack_what_is_needed_are_refused) {
  const am::graph<void, int> g(5, edges{});
  EXPECT_THROWS_SAYING(am::usage_error, "the graph is directed", am::triangles(g));
  EXPECT_THROWS_SAYING(am::usage_error, "the graph is directed", am::k_core(g));
  EXPECT_THROWS_SAYING(am::usage_error, "the graph is directed", am::minimum_spanning_forest(g));
  EXPECT_THROWS_SAYING(am::usage_error, "the graph has no rows", am::label_propagation(g));
  const std::vector<am::vertex_id> none, beyond = {5};
  EXPECT_THROWS_SAYING(am::usage_error, "the graph has no rows", am::betweenness(g, none));
  EXPECT_THROWS_SAYING(am::usage_error, "vertex 5 of a graph of 5", am::betweenness(g, beyond));
}

RANK_TEST(a_forest_of_a_weight_that_is_no_number_is_refused_by_all) {
  const std::vector<am::weighted_edge<double>> bad = {{1, 2, std::nan("")}};
  const am::graph<void, double> g(3, am::rank() == 0 ? bad : std::vector<am::weighted_edge<double>>{}, {.undirected = true});
  EXPECT_THROWS_SAYING(am::remote_error, "the edge from vertex 1 to 2 is no number", am::minimum_spanning_forest(g));
}
