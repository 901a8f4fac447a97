// SPDX-License-Identifier: Apache-2.0
// Graph algorithms by hand that look at the neighbours of neighbours: triangles and betweenness as the GAP benchmark suite has
// them, by two threads; labels by two threads; cores, spanning forests and depth-first search on one core, as the textbooks have
// them.
#include <algorithm>
#include <numeric>

#include "bench/baseline/hand_graphs.hpp"

namespace bench::hand {
namespace {

/// Rows of each vertex's neighbours with more edges, each once.
struct upward {
  std::vector<std::uint64_t> begin;
  std::vector<vertex> to;

  explicit upward(const rows_of_graph& g) : begin(g.size() + 1, 0), to(g.to.size() / 2) {
    std::vector<std::uint32_t> count(g.size());
    const auto rises = [&](vertex v, std::uint64_t j) {
      const vertex w = g.to[j];
      const auto a = g.degree(v), b = g.degree(w);
      return (a < b || (a == b && v < w)) && (j == g.begin[v] || g.to[j - 1] != w);
    };
    two_threads all([&](two_threads& t, int me) {
      t.each(g.size(), 4096, [&](std::size_t v) {
        for (std::uint64_t j = g.begin[v]; j < g.begin[v + 1]; ++j) count[v] += rises(vertex(v), j);
      });
      if (me == 0) std::partial_sum(count.begin(), count.end(), begin.begin() + 1);
      t.meet();
      t.each(g.size(), 4096, [&](std::size_t v) {
        std::uint64_t at = begin[v];
        for (std::uint64_t j = g.begin[v]; j < g.begin[v + 1]; ++j)
          if (rises(vertex(v), j)) to[at++] = g.to[j];
      });
    });
  }
};

std::uint64_t count_triangles(const rows_of_graph& g) {
  const upward up(g);
  std::uint64_t found[2] = {};
  two_threads all([&](two_threads& t, int me) {
    std::uint64_t mine = 0;
    t.each(g.size(), 256, [&](std::size_t v) {
      for (std::uint64_t j = up.begin[v]; j < up.begin[v + 1]; ++j) {
        const vertex *a = &up.to[up.begin[v]], *const a_end = up.to.data() + up.begin[v + 1];
        const vertex *b = up.to.data() + up.begin[up.to[j]], *const b_end = up.to.data() + up.begin[up.to[j] + 1];
        while (a != a_end && b != b_end) {
          const vertex x = *a, y = *b;
          mine += x == y;
          a += x <= y;
          b += y <= x;
        }
      }
    });
    found[me] = mine;
  });
  return found[0] + found[1];
}

/// Vertices lie in order of the edges that are left to them, and move one place down where they lose one.
std::vector<std::uint32_t> cores(const rows_of_graph& g) {
  const std::size_t n = g.size();
  std::vector<std::uint32_t> left(n), place(n), first;
  std::vector<vertex> order(n);
  for (std::size_t v = 0; v < n; ++v) left[v] = std::uint32_t(g.degree(vertex(v)));
  first.assign(std::size_t(*std::max_element(left.begin(), left.end())) + 2, 0);
  for (const std::uint32_t d : left) ++first[d + 1];
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::uint32_t> next = first;
  for (std::size_t v = 0; v < n; ++v) order[place[v] = next[left[v]]++] = vertex(v);
  for (std::size_t k = 0; k < n; ++k) {
    const vertex v = order[k];
    for (std::uint64_t j = g.begin[v]; j < g.begin[v + 1]; ++j) {
      const vertex w = g.to[j];
      if (left[w] <= left[v]) continue;
      const std::uint32_t from = place[w], to = std::max(first[left[w]], std::uint32_t(k) + 1);
      std::swap(order[from], order[to]);
      place[order[from]] = from, place[w] = to;
      first[left[w]--] = to + 1;
    }
  }
  return left;
}

/// The number of its edges and their weight: all edges by weight, by counting, and sets of what they join.
std::pair<std::size_t, std::uint64_t> forest(const rows_of_graph& g) {
  struct edge {
    vertex from, to;
  };
  std::vector<std::size_t> first(258, 0);
  std::vector<edge> all(g.to.size() / 2);
  const auto each = [&](auto f) {
    for (std::size_t v = 0; v < g.size(); ++v)
      for (std::uint64_t j = g.begin[v]; j < g.begin[v + 1]; ++j)
        if (g.to[j] > v) f(vertex(v), j);
  };
  each([&](vertex, std::uint64_t j) { ++first[std::size_t(g.weight[j]) + 1]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<std::size_t> next = first;
  each([&](vertex v, std::uint64_t j) { all[next[std::size_t(g.weight[j])]++] = {v, g.to[j]}; });
  std::vector<vertex> above(g.size());
  std::iota(above.begin(), above.end(), vertex{0});
  const auto root = [&](vertex v) {
    while (above[v] != v) v = above[v] = above[above[v]];
    return v;
  };
  std::pair<std::size_t, std::uint64_t> taken;
  for (std::size_t weight = 1; weight < 256; ++weight)
    for (std::size_t k = first[weight]; k < first[weight + 1]; ++k) {
      const vertex a = root(all[k].from), b = root(all[k].to);
      if (a == b) continue;
      above[std::max(a, b)] = std::min(a, b);
      ++taken.first, taken.second += weight;
    }
  return taken;
}

/// Each thread does every other source.
// Count: of paths; a grid has more of them than a double can count.
template <class Count>
std::vector<double> shares_of_paths(const rows_of_graph& g, const std::vector<std::uint64_t>& sources) {
  std::vector<double> sum[2];
  two_threads all([&](two_threads& t, int me) {
    std::vector<double>&mine = sum[me], share(g.size());
    std::vector<Count> paths(g.size());
    std::vector<std::int32_t> level(g.size());
    std::vector<vertex> order;
    mine.assign(g.size(), 0);
    for (std::size_t s = std::size_t(me); s < sources.size(); s += 2) {
      std::fill(level.begin(), level.end(), -1);
      std::fill(paths.begin(), paths.end(), 0);
      std::fill(share.begin(), share.end(), 0);
      order.assign(1, vertex(sources[s]));
      level[sources[s]] = 0, paths[sources[s]] = 1;
      for (std::size_t k = 0; k < order.size(); ++k) {
        const vertex v = order[k];
        for (std::uint64_t j = g.begin[v]; j < g.begin[v + 1]; ++j) {
          const vertex w = g.to[j];
          if (level[w] < 0) level[w] = level[v] + 1, order.push_back(w);
          if (level[w] == level[v] + 1) paths[w] += paths[v];
        }
      }
      for (std::size_t k = order.size(); --k > 0;) {
        const vertex v = order[k];
        const Count each = (1 + share[v]) / paths[v];
        for (std::uint64_t j = g.begin[v]; j < g.begin[v + 1]; ++j)
          if (level[g.to[j]] == level[v] - 1) share[g.to[j]] += double(paths[g.to[j]] * each);
        mine[v] += share[v];
      }
    }
    t.meet();
  });
  for (std::size_t v = 0; v < g.size(); ++v) sum[0][v] += sum[1][v];
  return sum[0];
}

std::vector<vertex> common_labels(const rows_of_graph& g, int rounds) {
  std::vector<vertex> label(g.size()), next(g.size());
  std::iota(label.begin(), label.end(), vertex{0});
  two_threads all([&](two_threads& t, int me) {
    std::vector<vertex> seen;
    std::vector<std::uint32_t> times(g.size());
    for (int round = 0; round < rounds; ++round) {
      t.each(g.size(), 512, [&](std::size_t v) {
        seen.clear();
        vertex best = label[v];
        std::uint32_t most = 0;
        for (std::uint64_t j = g.begin[v]; j < g.begin[v + 1]; ++j) {
          const vertex l = label[g.to[j]];
          const std::uint32_t n = ++times[l];
          if (n == 1) seen.push_back(l);
          if (n > most || (n == most && l < best)) most = n, best = l;
        }
        for (const vertex l : seen) times[l] = 0;
        next[v] = best;
      });
      if (me == 0) label.swap(next);
      t.meet();
    }
  });
  return label;
}

std::vector<std::int64_t> entered(const rows_of_graph& g, vertex root) {
  std::vector<std::int64_t> when(g.size(), -1);
  struct way {
    vertex at;
    std::uint64_t next;
  };
  std::vector<way> path{{root, g.begin[root]}};
  std::int64_t now = 0;
  when[root] = now++;
  while (!path.empty()) {
    way& last = path.back();
    while (last.next < g.begin[last.at + 1] && when[g.to[last.next]] >= 0) ++last.next;
    if (last.next == g.begin[last.at + 1]) {
      path.pop_back();
      continue;
    }
    const vertex w = g.to[last.next++];
    when[w] = now++;
    path.push_back({w, g.begin[w]});
  }
  return when;
}

double triangles(row_context& c) {
  return by_threads(c, [](const rows_of_graph& g) { return count_triangles(g); }, [](const auto&, std::uint64_t) {});
}
double k_core(row_context& c) {
  return by_threads(
      c, [](const rows_of_graph& g) { return cores(g); },
      [](const auto& edges, const auto& all) { verify(right_cores(edges, all), "cores by hand"); });
}
double minimum_spanning_forest(row_context& c) {
  return by_threads(
      c, [](const rows_of_graph& g) { return forest(g); },
      [&](const auto& edges, const auto& all) { verify(all.first == forest_edges(edges, c.size), "a forest by hand"); });
}
double betweenness(row_context& c) {
  const std::vector<std::uint64_t> sources = sources_of_graph(c.size);
  return by_threads(
      c,
      [&](const rows_of_graph& g) {
        const bool grid = (c.size & (c.size - 1)) != 0;
        return grid ? shares_of_paths<long double>(g, sources) : shares_of_paths<double>(g, sources);
      },
      [](const auto&, const auto& all) { verify(*std::max_element(all.begin(), all.end()) > 1, "betweenness by hand"); });
}
double label_propagation(row_context& c) {
  return by_threads(
      c, [](const rows_of_graph& g) { return common_labels(g, 5); },
      [](const auto&, const auto& all) { verify(all[0] < all.size(), "labels by hand"); });
}
double dfs(row_context& c) {
  const std::uint64_t root = root_of_graph(c.size);
  return by_threads(
      c, [&](const rows_of_graph& g) { return entered(g, vertex(root)); },
      [&](const auto& edges, const auto& all) { verify(right_entries(edges, all, root), "dfs by hand"); });
}

}  // namespace

void add_communities(row_table& rows) {
  rows.insert(rows.end(), {{"hand_triangles", triangles},
                           {"hand_k_core", k_core},
                           {"hand_minimum_spanning_forest", minimum_spanning_forest},
                           {"hand_betweenness", betweenness},
                           {"hand_label_propagation", label_propagation},
                           {"hand_dfs", dfs}});
}

}  // namespace bench::hand
