// SPDX-License-Identifier: Apache-2.0
// Graph algorithms of the library: a Kronecker graph and a grid of `size` vertices on all ranks together.
#include <armilla/algorithms.hpp>

#include "bench/kernels/edges.hpp"
#include "bench/suites/common.hpp"
#include "bench/suites/suites.hpp"

namespace bench::suites {
namespace {

using weights = am::graph<void, int>;

/// Made once for all runs of the rows of one size.
const weights& graph_of(const row_context& c) {
  static thread_local long size = 0;  // a rank may be a thread
  static thread_local weights g;
  const am::graph_options how{.undirected = true, .keep_duplicates = true};
  if (size != c.size) g = weights(std::size_t(c.size), edges_of_graph(c.size, c.rank, c.ranks), how);
  size = c.size;
  return g;
}

/// Nanoseconds per call of `f` by all ranks, and the last result on rank 0.
template <class F, class Check>
double by_all(const row_context& c, F f, Check check) {
  static thread_local long checked = 0;  // size
  auto result = f();
  am::barrier();
  const std::uint64_t start = now_ns();
  for (long i = 0; i < c.iterations; ++i) result = f();
  const double time = double(now_ns() - start) / double(c.iterations);
  if (c.rank == 0 && checked != c.size) check(am::everything(result));
  checked = c.size;
  am::barrier();
  return time;
}

double levels(row_context& c) {
  const weights& g = graph_of(c);
  const std::uint64_t root = root_of_graph(c.size);
  return by_all(
      c, [&] { return am::bfs(g, root); },
      [&](const auto& all) { verify(right_levels(edges_of_graph(c.size, 0, 1), all, root), "bfs"); });
}
double labels(row_context& c) {
  const weights& g = graph_of(c);
  return by_all(
      c, [&] { return am::components(g); },
      [&](const auto& all) { verify(right_labels(edges_of_graph(c.size, 0, 1), all), "components"); });
}
double ranks(row_context& c) {
  const weights& g = graph_of(c);
  return by_all(
      c, [&] { return am::pagerank(g, {.tolerance = 0, .rounds = 10}); },
      [](const auto& all) { verify(right_ranks(all), "pagerank"); });
}
double lengths(row_context& c) {
  const weights& g = graph_of(c);
  const std::uint64_t root = root_of_graph(c.size);
  return by_all(
      c, [&] { return am::sssp(g, root); },
      [&](const auto& all) { verify(right_lengths(edges_of_graph(c.size, 0, 1), all, root, am::no_path<int>), "sssp"); });
}

// What is not an array is the same on every rank, or has each rank's share.

double triangles(row_context& c) {
  const weights& g = graph_of(c);
  am::barrier();
  const std::uint64_t start = now_ns();
  std::uint64_t found = 0;
  for (long i = 0; i < c.iterations; ++i) found = am::triangles(g);
  verify((c.size & (c.size - 1)) != 0 ? found == 0 : found > 0, "triangles");  // a grid has none
  return double(now_ns() - start) / double(c.iterations);
}
double minimum_spanning_forest(row_context& c) {
  const weights& g = graph_of(c);
  am::barrier();
  const std::uint64_t start = now_ns();
  std::size_t mine = 0;
  for (long i = 0; i < c.iterations; ++i) mine = am::minimum_spanning_forest(g).size();
  const double time = double(now_ns() - start) / double(c.iterations);
  static thread_local long checked = 0;  // size
  const std::size_t all = am::all_reduce(mine, std::plus<>{});
  if (c.rank == 0 && checked != c.size) verify(all == forest_edges(edges_of_graph(c.size, 0, 1), c.size), "a forest");
  checked = c.size;
  return time;
}
double k_core(row_context& c) {
  const weights& g = graph_of(c);
  return by_all(
      c, [&] { return am::k_core(g); },
      [&](const auto& all) { verify(right_cores(edges_of_graph(c.size, 0, 1), all), "k_core"); });
}
double betweenness(row_context& c) {
  const weights& g = graph_of(c);
  const std::vector<std::uint64_t> some = sources_of_graph(c.size);
  const std::vector<am::vertex_id> sources(some.begin(), some.end());
  return by_all(
      c, [&] { return am::betweenness(g, sources); },
      [](const auto& all) { verify(*std::max_element(all.begin(), all.end()) > 1, "betweenness"); });
}
double label_propagation(row_context& c) {
  const weights& g = graph_of(c);
  return by_all(c, [&] { return am::label_propagation(g, 5); }, [](const auto& all) { verify(all[0] < all.size(), "labels"); });
}
double dfs(row_context& c) {
  const weights& g = graph_of(c);
  const std::uint64_t root = root_of_graph(c.size);
  return by_all(
      c, [&] { return am::dfs(g, root); },
      [&](const auto& all) { verify(right_entries(edges_of_graph(c.size, 0, 1), all, root), "dfs"); });
}

}  // namespace

void add_graph_algorithms(row_table& rows) {
  rows.insert(rows.end(), {{"graph_bfs", levels},
                           {"graph_components", labels},
                           {"graph_pagerank", ranks},
                           {"graph_sssp", lengths},
                           {"graph_triangles", triangles},
                           {"graph_minimum_spanning_forest", minimum_spanning_forest},
                           {"graph_k_core", k_core},
                           {"graph_betweenness", betweenness},
                           {"graph_label_propagation", label_propagation},
                           {"graph_dfs", dfs}});
}

}  // namespace bench::suites
