// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of graph algorithms share: small graphs, and their rows as one thread makes them.
#include <utility>
#include <vector>

#include "armilla/algorithm/ranges_test.hpp"
#include "armilla/graph.hpp"

namespace graphs_test {

namespace am = armilla;
using namespace ranges_test;

using edges = std::vector<am::weighted_edge<int>>;
using lists = std::vector<std::vector<am::vertex_id>>;

inline edges random_edges(dice& d, std::size_t n, std::size_t count) {
  edges all(n == 0 ? 0 : count);
  const std::size_t heavy = d.below(n);
  for (auto& e : all) e = {d.below(4) == 0 ? heavy : d.below(n), d.below(n), int(d.below(50))};
  return all;
}
inline edges grid(std::size_t side) {
  edges all;
  for (std::size_t v = 0; v < side * side; ++v) {
    if (v % side + 1 < side) all.push_back({v, v + 1, int(v % 7)});
    if (v + side < side * side) all.push_back({v + side, v, int(v % 5)});
  }
  return all;
}
inline edges star(std::size_t n) {
  edges all;
  for (std::size_t v = 0; v < n; ++v) all.push_back({n / 2, v, 1});
  return all;
}

/// A graph, and how many vertices it has.
struct small_graph {
  std::size_t n;
  edges all;
};
/// Empty, without edges, sparse, dense, a grid, a star; loops and duplicates among them.
inline small_graph a_graph(dice& d) {
  switch (d.below(8)) {
    case 0: return {0, {}};
    case 1: return {1 + d.below(20), {}};
    case 2: return {150, grid(12)};
    case 3: return {61, star(60)};
    case 4: return {30, random_edges(d, 30, 400)};
    default: {
      const std::size_t n = 1 + d.below(300);
      return {n, random_edges(d, n, d.below(3 * n))};
    }
  }
}

/// Those that this rank gives.
inline edges share_of(const edges& all, const am::team& t) {
  edges mine;
  const std::size_t from = all.size() * std::size_t(t.rank()) / std::size_t(t.size());
  const std::size_t to = all.size() * std::size_t(t.rank() + 1) / std::size_t(t.size());
  mine.insert(mine.end(), all.begin() + std::ptrdiff_t(from), all.begin() + std::ptrdiff_t(to));
  return mine;
}

/// The rows as one thread makes them, and the weights beside them.
struct oracle {
  lists out;
  std::vector<std::vector<int>> weight;

  oracle(const small_graph& s, const am::graph_options& how) : out(s.n), weight(s.n) {
    for (const auto& e : s.all) {
      if (e.from == e.to && !how.keep_loops) continue;
      add(e.from, e.to, e.weight);
      if (how.undirected && e.from != e.to) add(e.to, e.from, e.weight);
    }
    for (std::size_t v = 0; v < s.n; ++v) close(v, how.keep_duplicates);
  }
  std::size_t ends() const {
    std::size_t sum = 0;
    for (const auto& row : out) sum += row.size();
    return sum;
  }
  lists reversed() const {
    lists in(out.size());
    for (std::size_t v = 0; v < out.size(); ++v)
      for (const auto w : out[v]) in[w].push_back(am::vertex_id(v));
    return in;
  }

 private:
  void add(std::size_t from, std::size_t to, int w) {
    out[from].push_back(am::vertex_id(to));
    weight[from].push_back(w);
  }
  void close(std::size_t v, bool duplicates) {
    std::vector<std::pair<am::vertex_id, int>> row;
    for (std::size_t k = 0; k < out[v].size(); ++k) row.emplace_back(out[v][k], weight[v][k]);
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (!duplicates) row.erase(std::unique(row.begin(), row.end(), same), row.end());
    out[v].clear(), weight[v].clear();
    for (const auto& [to, w] : row) add(v, to, w);
  }
};

inline am::graph_options some_options(dice& d, const am::team& t) {
  return {.undirected = d.below(2) == 0,
          .in_edges = d.below(2) == 0,
          .keep_duplicates = d.below(2) == 0,
          .keep_loops = d.below(2) == 0,
          .members = t};
}

}  // namespace graphs_test
