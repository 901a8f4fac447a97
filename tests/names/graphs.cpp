// SPDX-License-Identifier: Apache-2.0
// The public names of graphs: each is used in a line that docs.names compiles, by the grammar of docs/adr/0014-one-grammar.md.
// docs.reference reports names that no line uses.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <armilla/algorithms.hpp>
#include <armilla/armilla.hpp>

namespace am = armilla;
using namespace std::literals;

namespace names {

template <class T>
void used(const T&) {}
inline am::graph<> path() {
  std::vector<am::edge> mine;
  if (am::rank() == 0)
    for (std::size_t v = 0; v < 99; ++v) mine.push_back({v, v + 1});
  return am::graph<>(mine, {.undirected = true});
}

// ---- graph ----

void graph() {
  const std::vector<am::edge> mine = {{std::size_t(am::rank()), std::size_t(am::rank()) + 1}};  // from, to; of any vertices
  const am::graph<> counted(mine), given(100, mine, {.in_edges = true, .keep_duplicates = true, .keep_loops = true});
  const std::vector<am::weighted_edge<double>> weighted = {{0, 1, 2.5}};
  am::graph<int, double> g(100, weighted, {.undirected = true, .members = am::world()});
  const am::graph_options both_ways{.undirected = true};  // what the braces name
  static_assert(std::is_same_v<decltype(g)::vertex_value, int> && std::is_same_v<decltype(g)::edge_value, double>);
  const auto read = [] { return am::graph<>(am::read_edges("graph.txt")); };
  for (am::vertex_id v : g.local()) {  // this rank's vertices
    for (am::vertex_id w : g.neighbours(v)) used(w);
    used(g.edge_data(v)), used(g.in_neighbours(v)), used(g.in_edge_data(v)), used(g.degree(v)),
        used(g.in_degree(v));  // edge_data(v)[i] belongs to neighbours(v)[i]
  }
  for (int& value : g.values().local()) value += 1;  // an array<int>, distributed as the vertices
  am::array<float> heat(g.size(), am::like(g));      // another one
  const std::vector<am::vertex_id> row = g.fetch_neighbours(7);
  am::array<std::size_t> degrees(g.size(), am::like(g));
  am::transform(am::views::neighbours(g), degrees, [](std::span<const am::vertex_id> row) { return row.size(); });
  used(am::max(am::views::in_neighbours(g) | am::views::flatten()));  // over the ends of all edges
  used(g.size()), used(g.edges()), used(g.undirected()), used(g.rank_of(3)), used(g.members().size()), used(g.placement().size());
  used(counted.size()), used(given.edges()), used(read), used(both_ways.in_edges), used(heat.size()), used(row),
      used(g.shape().first);
  am::barrier();
}

// ---- From a file ----

void from_a_file() {
  const am::read_graph_options how{
      .undirected = true, .format = am::graph_format::detect, .naming = am::vertex_naming::if_needed, .base = 1};
  const auto open = [&how] { return am::read_graph("graph.mtx", how); };
  const auto roads = [] { return am::read_graph<double>("roads.csv", {.default_weight = 1, .header = true}); };  // weights
  const auto with_values = [] { return am::read_graph<double, int>("roads.csv"); };  // and a value of each vertex
  const am::named_graph<> empty;
  const auto show = [](const am::named_graph<>& read) {
    used(read.name(0)), used(read.vertex("Paris")), used(read.find_vertex("Rome").has_value());
    used(read.names().size());  // collective: an array<std::string>, distributed as the vertices
  };
  used(open), used(roads), used(with_values), used(empty.size()), used(show);
}

// ---- growing_graph ----

void growing_graph() {
  am::growing_graph<double> roads;
  am::growing_graph<> plain(am::world());
  roads.add_edge(0, 1, 2.5), roads.add_vertex(7);
  plain.add_edge(1, 2), plain.erase_edges(1, 2);
  am::fence();
  const std::vector<am::growing_edge<double>> from_0 = roads.neighbours(0).get();
  const std::size_t degree = roads.degree(0).get(), edges = roads.count_edges();
  const am::graph<void, double> frozen = roads.compact({.undirected = true});  // roads can grow further
  const am::graph<int> empty = plain.compact<int>();                           // with a value for each vertex
  for (const auto& [v, row] : roads.local()) used(v), used(row.size());
  used(from_0.size()), used(degree), used(edges), used(frozen.size()), used(empty.size());
}

// ---- Levels ----

void levels() {
  const am::graph<> g = path();
  const am::array<std::int32_t> level = am::bfs(g, 0);  // -1: not reached
  used(level.size());
  am::barrier();
}

// ---- Components ----

void components() {
  const am::graph<> g = path();
  const am::array<am::vertex_id> smallest = am::components(g);
  used(smallest.size());
  am::barrier();
}

// ---- PageRank ----

void pagerank() {
  const am::graph<> g = path();
  const am::pagerank_options usual;  // what the braces name
  used(usual.damping);
  const am::array<double> rank = am::pagerank(g), ten = am::pagerank(g, {.damping = 0.9, .tolerance = 0, .rounds = 10});
  used(rank.size()), used(ten.size());
  am::barrier();
}

// ---- Shortest paths ----

void shortest_paths() {
  const std::vector<am::weighted_edge<double>> roads = {{0, 1, 0.5}, {1, 2, 0.25}, {0, 2, 1.0}};
  const am::graph<void, double> g(4, roads);
  const am::sssp_options usual;  // what the braces name
  used(usual.delta);
  const am::array<am::path_length<double>> length = am::sssp(g, 0), wide = am::sssp(g, 0, {.delta = 10});
  const bool reached = length[3] != am::no_path<double>;  // infinity; for integers the greatest of 64 bits
  used(reached), used(wide.size());
  am::barrier();
}

// ---- Depth first ----

void depth_first() {
  const am::graph<> g = path();
  const am::array<std::int64_t> entered = am::dfs(g, 0);  // from 0, in the order of entering; -1: not reached
  used(entered.size());
  am::barrier();
}

// ---- Triangles and cores ----

void triangles_and_cores() {
  const am::graph<> g = path();
  const std::uint64_t count = am::triangles(g);
  const am::array<std::uint32_t> core = am::k_core(g);
  used(count), used(core.size());
  am::barrier();
}

// ---- Communities ----

void communities() {
  const am::graph<> g = path();
  const am::array<am::vertex_id> label = am::label_propagation(g), long_run = am::label_propagation(g, 50);
  used(label.size()), used(long_run.size());
  am::barrier();
}

// ---- Spanning forests ----

void spanning_forests() {
  const std::vector<am::weighted_edge<double>> roads = {{0, 1, 0.5}, {1, 2, 0.25}, {0, 2, 1.0}};
  const am::graph<void, double> g(4, roads, {.undirected = true});
  const std::vector<am::weighted_edge<double>> mine = am::minimum_spanning_forest(g);  // this rank's: 0-1 and 1-2 in all
  used(mine);
}

// ---- Betweenness ----

void betweenness() {
  const am::graph<> g = path();
  const std::vector<am::vertex_id> sources = {0, 7, 42};
  const am::array<double> share = am::betweenness(g, sources);
  used(share.size());
  am::barrier();
}

}  // namespace names
