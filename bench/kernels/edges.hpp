// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "bench/kernels/keys.hpp"

/// The graphs of the rows of graph algorithms, and what is right about a result. Undirected, with whole weights from 1 to 255.
namespace bench {

struct bench_edge {
  std::uint64_t from, to;
  int weight;
};

/// A number of `scale` bits becomes another one, each its own.
inline std::uint64_t shuffled(std::uint64_t v, int scale) {
  const std::uint64_t mask = (std::uint64_t{1} << scale) - 1;
  for (const std::uint64_t odd : {0x9e3779b97f4a7c15U, 0xbf58476d1ce4e5b9U}) {
    v = v * odd & mask;
    v ^= v >> (scale / 2 + 1);
  }
  return v;
}

/// Kronecker graph as Graph500 and GAP have it: 57, 19, 19 and 5 %, 16 edges a vertex; numbers say nothing of degrees.
/// Edges [first, last) of 16 * 2^scale.
inline std::vector<bench_edge> kronecker(int scale, std::uint64_t first, std::uint64_t last) {
  std::vector<bench_edge> all;
  for (std::uint64_t i = first; i < last; ++i) {
    bench_edge e{0, 0, 1 + int(random_bits(i) % 255)};
    for (int level = 0; level < scale; ++level) {
      const double x = double(random_bits(i * 64 + std::uint64_t(level) + 1) >> 11) * 0x1p-53;
      e.from = e.from << 1 | std::uint64_t(x >= 0.76);
      e.to = e.to << 1 | std::uint64_t((x >= 0.57 && x < 0.76) || x >= 0.95);
    }
    all.push_back({shuffled(e.from, scale), shuffled(e.to, scale), e.weight});
  }
  return all;
}

/// Rows [first, last) of a grid of side * side vertices, each with those right and below.
inline std::vector<bench_edge> grid_rows(std::uint64_t side, std::uint64_t first, std::uint64_t last) {
  std::vector<bench_edge> all;
  for (std::uint64_t v = first * side; v < last * side; ++v) {
    if (v % side + 1 < side) all.push_back({v, v + 1, 1 + int(random_bits(2 * v) % 255)});
    if (v / side + 1 < side) all.push_back({v, v + side, 1 + int(random_bits(2 * v + 1) % 255)});
  }
  return all;
}

/// Part `part` of `parts` of the graph of `size` vertices: a Kronecker graph for a power of two, else a grid.
inline std::vector<bench_edge> edges_of_graph(long size, int part, int parts) {
  const auto n = std::uint64_t(size);
  const auto share = [&](std::uint64_t all, int p) { return all * std::uint64_t(p) / std::uint64_t(parts); };
  if ((n & (n - 1)) == 0) {
    const int scale = int(std::lround(std::log2(double(n))));
    return kronecker(scale, share(16 * n, part), share(16 * n, part + 1));
  }
  const auto side = std::uint64_t(std::lround(std::sqrt(double(n))));
  return grid_rows(side, share(side, part), share(side, part + 1));
}
/// Where searches begin: a vertex with edges.
inline std::uint64_t root_of_graph(long size) { return edges_of_graph(size, 0, 1000)[0].from; }

/// Four sources of shortest paths.
inline std::vector<std::uint64_t> sources_of_graph(long size) {
  std::vector<std::uint64_t> all;
  for (int k = 0; k < 4; ++k) all.push_back(edges_of_graph(size, k * 200, 1000)[0].from);
  return all;
}

/// Each edge spans one level at most, and each level has one before it.
template <class Levels>
bool right_levels(const std::vector<bench_edge>& edges, const Levels& level, std::uint64_t root) {
  bool right = level[root] == 0;
  std::vector<bool> has_near(level.size());
  for (const auto& e : edges) {
    right = right && (level[e.from] < 0) == (level[e.to] < 0) && std::abs(level[e.from] - level[e.to]) <= 1;
    if (level[e.from] == level[e.to] + 1) has_near[e.from] = true;
    if (level[e.to] == level[e.from] + 1) has_near[e.to] = true;
  }
  for (std::size_t v = 0; v < level.size(); ++v) right = right && (level[v] <= 0 || has_near[v]);
  return right;
}
/// Edges join what has one label, which is one of its vertices'.
template <class Labels>
bool right_labels(const std::vector<bench_edge>& edges, const Labels& label) {
  bool right = true;
  for (const auto& e : edges) right = right && label[e.from] == label[e.to];
  for (std::size_t v = 0; v < label.size(); ++v) right = right && label[label[v]] == label[v];
  return right;
}
/// No edge makes a path shorter, and each path has a last edge. `far`: no path.
template <class Lengths>
bool right_lengths(const std::vector<bench_edge>& edges, const Lengths& length, std::uint64_t root, std::int64_t far) {
  bool right = length[root] == 0;
  std::vector<bool> has_last(length.size());
  for (const auto& e : edges) {
    const auto a = std::int64_t(length[e.from]), b = std::int64_t(length[e.to]);
    right = right && (a == far) == (b == far) && (a == far || std::abs(a - b) <= e.weight);
    if (a == b + e.weight) has_last[e.from] = true;
    if (b == a + e.weight) has_last[e.to] = true;
  }
  for (std::size_t v = 0; v < length.size(); ++v) right = right && (v == root || length[v] == far || has_last[v]);
  return right;
}
/// Each vertex has as many neighbours in its core or a higher one as its core says.
template <class Cores>
bool right_cores(const std::vector<bench_edge>& edges, const Cores& core) {
  std::vector<std::uint32_t> near(core.size());
  for (const auto& e : edges)
    if (e.from != e.to) near[e.from] += core[e.to] >= core[e.from], near[e.to] += core[e.from] >= core[e.to];
  bool right = true;
  for (std::size_t v = 0; v < core.size(); ++v) right = right && near[v] >= core[v];
  return right;
}
/// How many edges a forest that spans them has.
inline std::size_t forest_edges(const std::vector<bench_edge>& edges, long size) {
  std::vector<std::uint64_t> above(static_cast<std::size_t>(size));
  for (std::size_t v = 0; v < above.size(); ++v) above[v] = v;
  const auto root = [&](std::uint64_t v) {
    while (above[v] != v) v = above[v] = above[above[v]];
    return v;
  };
  std::size_t taken = 0;
  for (const auto& e : edges) {
    const std::uint64_t a = root(e.from), b = root(e.to);
    taken += a != b;
    above[std::max(a, b)] = std::min(a, b);
  }
  return taken;
}
/// Numbers of entry from 0, each once, to whatever edges reach.
template <class Entries>
bool right_entries(const std::vector<bench_edge>& edges, const Entries& entry, std::uint64_t root) {
  bool right = entry[root] == 0;
  for (const auto& e : edges) right = right && (entry[e.from] < 0) == (entry[e.to] < 0);
  std::vector<bool> taken(entry.size());
  for (const std::int64_t k : entry) {
    if (k < 0) continue;
    right = right && !taken[std::size_t(k)];
    taken[std::size_t(k)] = true;
  }
  return right;
}
template <class Ranks>
bool right_ranks(const Ranks& rank) {
  double sum = 0;
  for (const double r : rank) sum += r;
  return std::abs(sum - 1) < 1e-6;
}

}  // namespace bench
