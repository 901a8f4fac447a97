// SPDX-License-Identifier: Apache-2.0
// Graphs and their algorithms against one thread that has all edges.
#include "armilla/graph.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "armilla/algorithm/graph/graphs_test.hpp"

namespace am = armilla;
using namespace graphs_test;

namespace {

std::vector<std::int32_t> levels(const lists& out, std::size_t root) {
  std::vector<std::int32_t> level(out.size(), -1);
  std::vector<std::size_t> queue{root};
  level[root] = 0;
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (const auto w : out[queue[k]])
      if (level[w] < 0) level[w] = level[queue[k]] + 1, queue.push_back(w);
  return level;
}
std::vector<am::vertex_id> smallest_joined(const lists& out) {
  std::vector<am::vertex_id> label(out.size());
  std::iota(label.begin(), label.end(), am::vertex_id{0});
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t v = 0; v < out.size(); ++v)
      for (const auto w : out[v])
        if (label[v] != label[w]) label[v] = label[w] = std::min(label[v], label[w]), changed = true;
  }
  return label;
}
std::vector<double> page_ranks(const lists& out, int rounds) {
  const double n = double(out.size());
  std::vector<double> rank(out.size(), 1 / n);
  for (int round = 0; round < rounds; ++round) {
    double dangling = 0;
    std::vector<double> sum(out.size(), 0);
    for (std::size_t v = 0; v < out.size(); ++v) {
      if (out[v].empty()) dangling += rank[v];
      for (const auto w : out[v]) sum[w] += rank[v] / double(out[v].size());
    }
    for (std::size_t v = 0; v < out.size(); ++v) rank[v] = 0.15 / n + 0.85 * (sum[v] + dangling / n);
  }
  return rank;
}

/// A file that all ranks read, until the end of the scope.
class shared_file {
 public:
  explicit shared_file(const std::string& text) {
    path_ = "/tmp/armilla_graph_test." + std::to_string(am::broadcast(long(::getpid())));
    if (am::rank() == 0) std::ofstream(path_) << text;
    am::barrier();
  }
  ~shared_file() {
    am::barrier();
    if (am::rank() == 0) std::remove(path_.c_str());
    am::barrier();
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

RANK_TEST(rows_are_those_of_one_rank) {
  for_random_teams(30, [](dice& d, const am::team& t) {
    const small_graph s = a_graph(d);
    const am::graph_options how = some_options(d, t);
    const oracle right(s, how);
    const am::graph<long, int> g(s.n, share_of(s.all, t), how);
    EXPECT_EQ(g.size(), s.n);
    EXPECT_EQ(g.values().size(), s.n);
    std::size_t loops = 0, seen = 0;
    for (std::size_t v = 0; v < s.n; ++v) loops += std::size_t(std::ranges::count(right.out[v], am::vertex_id(v)));
    EXPECT_EQ(g.edges(), how.undirected ? (right.ends() - loops) / 2 + loops : right.ends());
    for (const am::vertex_id v : g.local()) {
      ++seen;
      EXPECT_EQ(g.rank_of(v), am::rank());
      EXPECT_EQ(g.degree(v), right.out[v].size());
      EXPECT(std::ranges::equal(g.neighbours(v), right.out[v]));
      EXPECT(std::ranges::equal(g.edge_data(v), right.weight[v]));
    }
    EXPECT_EQ(t.all_reduce(seen, std::plus<>{}), s.n);
  });
}

RANK_TEST(rows_of_others_are_read_or_fetched) {
  for_random_teams(8, [](dice& d, const am::team& t) {
    const small_graph s = a_graph(d);
    const am::graph_options how = some_options(d, t);
    const oracle right(s, how);
    const am::graph<> g(s.n, share_of(s.all, t), how);
    for (std::size_t v = 0; v < s.n; ++v) EXPECT_EQ(g.fetch_neighbours(v), right.out[v]);
    const am::array<int> one(s.n, am::like(g));
    for (std::size_t v = 0; v < s.n; ++v)
      if (one.ptr(v).is_mapped()) EXPECT(std::ranges::equal(g.neighbours(v), right.out[v]));
    t.barrier();
  });
}

RANK_TEST(a_graph_has_rows_of_the_edges_that_lead_to_a_vertex) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const small_graph s = a_graph(d);
    am::graph_options how = some_options(d, t);
    how.in_edges = true;
    const oracle right(s, how);
    const lists in = right.reversed();
    const am::graph<void, int> g(s.n, share_of(s.all, t), how);
    for (const am::vertex_id v : g.local()) {
      EXPECT(std::ranges::equal(g.in_neighbours(v), in[v]));
      EXPECT_EQ(g.in_degree(v), in[v].size());
      EXPECT_EQ(g.in_edge_data(v).size(), in[v].size());
    }
  });
}

RANK_TEST(a_graph_counts_its_vertices) {
  const auto share = [](const edges& all) { return share_of(all, am::world()); };
  EXPECT_EQ(am::graph<>(share({{3, 7, 0}, {1, 2, 0}})).size(), 8U);
  EXPECT_EQ(am::graph<>(share({})).size(), 0U);
  EXPECT_THROWS_SAYING(am::usage_error, "vertex 4000000000 in a graph of 2 edges: the numbers of vertices must be dense",
                       am::graph<>(share({{1, 2, 0}, {3, 4'000'000'000, 0}})));
  EXPECT_THROWS_SAYING(am::usage_error, "must be dense", am::graph<>(share({{1, ~std::uint64_t{0}, 0}})));
  EXPECT_THROWS_SAYING(am::limit_error, "their numbers have 32 bits", am::graph<>(std::size_t{1} << 32, edges{}));
}

RANK_TEST(a_vertex_that_is_not_there_is_refused_by_all) {
  const am::rank_t last = am::ranks() - 1;
  const edges bad = {{1, 2, 0}, {5, 10, 0}};
  EXPECT_THROWS_SAYING(am::remote_error, "an edge from vertex 5 to 10 in a graph of 10 vertices",
                       am::graph<>(10, am::rank() == last ? bad : edges{}));
  const am::graph<> g(11, am::rank() == last ? bad : edges{});
  EXPECT_THROWS_SAYING(am::usage_error, "vertex 11 of a graph of 11 vertices", am::bfs(g, 11));
  if (am::ranks() > 1)
    EXPECT_THROWS_SAYING(am::usage_error, "bfs: root 3 on one rank and 4 on another", am::bfs(g, am::rank() == 0 ? 4 : 3));
  EXPECT_THROWS_SAYING(am::usage_error, "vertex 12", g.neighbours(12));
  EXPECT_THROWS_SAYING(am::usage_error, "in_edges = true", g.in_neighbours(1));
  EXPECT_THROWS_SAYING(am::usage_error, "in_edges = true", am::pagerank(g));
}

RANK_TEST(a_negative_vertex_is_refused_by_all) {
  struct signed_edge {
    int from, to;
  };
  const std::vector<signed_edge> none, bad = {{-1, 2}};
  const std::vector<signed_edge>& mine = am::rank() == am::ranks() - 1 ? bad : none;
  EXPECT_THROWS_SAYING(am::remote_error, "is a number negative?", am::graph<>(10, mine));
  EXPECT_THROWS_SAYING(am::usage_error, "must be dense", am::graph<>(mine));
}

RANK_TEST(a_graph_is_read_from_a_file) {
  const shared_file file("# from to weight\n0 1 5\n1 2 6 and more\n\n3 2 7\n");
  const am::graph<void, int> g(am::read_edges<int>(file.path()), {.undirected = true});
  EXPECT_EQ(g.size(), 4U);
  EXPECT_EQ(g.edges(), 3U);
  const std::vector<std::int32_t> expected = {0, 1, 2, 3};
  EXPECT_EQ(elements_of(am::bfs(g, 0)), expected);
  EXPECT_EQ(am::graph<>(am::read_edges(file.path())).edges(), 3U);
  const shared_file bad("0 1\n1 x\n");
  EXPECT_THROWS_SAYING(am::remote_error, "line 2: '1 x' is not an edge: an edge is two numbers of vertices",
                       am::graph<>(am::read_edges(bad.path())));
}

RANK_TEST(levels_are_those_of_one_rank) {
  for_random_teams(40, [](dice& d, const am::team& t) {
    const small_graph s = a_graph(d);
    if (s.n == 0) return;
    const am::graph_options how = some_options(d, t);
    const am::graph<> g(s.n, share_of(s.all, t), how);
    const std::size_t root = d.below(s.n);
    const auto level = am::bfs(g, root);
    EXPECT_EQ(elements_of(level), levels(oracle(s, how).out, root));
    EXPECT(level.placement() == g.placement());
  });
}

RANK_TEST(components_are_those_of_one_rank) {
  for_random_teams(40, [](dice& d, const am::team& t) {
    const small_graph s = a_graph(d);
    const am::graph_options how = some_options(d, t);
    const am::graph<> g(s.n, share_of(s.all, t), how);
    EXPECT_EQ(elements_of(am::components(g)), smallest_joined(oracle(s, how).out));
  });
}

RANK_TEST(page_ranks_are_those_of_one_rank) {
  for_random_teams(15, [](dice& d, const am::team& t) {
    const small_graph s = a_graph(d);
    am::graph_options how = some_options(d, t);
    how.in_edges = true;
    const am::graph<> g(s.n, share_of(s.all, t), how);
    const int rounds = int(d.below(12));
    const std::vector<double> got = elements_of(am::pagerank(g, {.tolerance = 0, .rounds = rounds}));
    const std::vector<double> right = page_ranks(oracle(s, how).out, rounds);
    for (std::size_t v = 0; v < s.n; ++v) EXPECT(std::abs(got[v] - right[v]) <= 1e-12);
    const double sum = std::accumulate(got.begin(), got.end(), 0.0);
    EXPECT(s.n == 0 || std::abs(sum - 1) < 1e-9);
  });
}

RANK_TEST(page_ranks_end_where_they_change_no_more) {
  const am::graph<> g(144, share_of(grid(12), am::world()), {.undirected = true});
  const auto far = page_ranks(oracle({144, grid(12)}, {.undirected = true}).out, 500);
  const auto got = elements_of(am::pagerank(g, {.tolerance = 1e-9, .rounds = 1000}));
  for (std::size_t v = 0; v < far.size(); ++v) EXPECT(std::abs(got[v] - far[v]) < 1e-8);
  EXPECT_THROWS_SAYING(am::usage_error, "damping 1.5", am::pagerank(g, {.damping = 1.5}));
}
