// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "armilla/algorithm/graph/vertex_values.hpp"
#include "armilla/graph_algorithms.hpp"

namespace armilla::detail {
namespace {

constexpr double large = 0x1p512;

/// 1 / large^n. Where n > 1, what it is multiplied with counts for nothing beside what it is added to.
constexpr double shrunk(std::int32_t n) noexcept { return n == 0 ? 1 : n == 1 ? 1 / large : 0; }

/// What a source's paths say of a vertex, and others must know. In a grid there are more of them than a double can count.
struct path_counts {
  double paths = 0;        ///< shortest ones from the source, in units of large^scale
  double behind = 0;       ///< (1 + the shares of paths that lead through it) / paths
  std::int32_t scale = 0;  ///< never less than that of the vertices before it

  void add_paths(const path_counts& before) {
    if (before.scale <= scale) {
      paths += before.paths * shrunk(scale - before.scale);
    } else {
      paths = paths * shrunk(before.scale - scale) + before.paths;
      scale = before.scale;
    }
  }
  void settle() {
    if (paths > large) paths /= large, ++scale;
  }
};

/// One rank's part.
class path_counting {
 public:
  path_counting(const graph_shape& g, std::span<double> centrality)
      : g_(g),
        out_(g.rows()),
        in_(in_rows(g, "betweenness").of[std::size_t(g.members.rank())]),
        centrality_(centrality),
        counts_(g.where.size(), as_in(g.members, g.where)),
        reach_counts_(g, counts_) {}

  void add(vertex_id source) {
    const array<std::int32_t> level = bfs(g_, source);
    vertex_values<std::int32_t> reach_level(g_, level);
    reach_level.refresh();
    group(level.local());
    count_paths(reach_level, source);
    add_shares(reach_level, source);
  }

 private:
  /// This rank's vertices by level, those of level d at by_level_[begin_[d]] .. by_level_[begin_[d + 1]].
  void group(std::span<const std::int32_t> level) {
    const std::int32_t mine = level.empty() ? -1 : *std::ranges::max_element(level);
    levels_ = g_.members.all_reduce(mine, [](std::int32_t a, std::int32_t b) { return a < b ? b : a; }) + 1;
    begin_.assign(std::size_t(levels_) + 2, 0);
    for (const std::int32_t l : level)
      if (l >= 0) ++begin_[std::size_t(l) + 2];
    for (std::size_t d = 2; d < begin_.size(); ++d) begin_[d] += begin_[d - 1];
    by_level_.resize(begin_.back());
    for (std::size_t k = 0; k < level.size(); ++k)
      if (level[k] >= 0) by_level_[begin_[std::size_t(level[k]) + 1]++] = vertex_id(k);
  }
  std::span<const vertex_id> at_level(std::int32_t d) const {
    return {by_level_.data() + begin_[std::size_t(d)], begin_[std::size_t(d) + 1] - begin_[std::size_t(d)]};
  }

  /// From the source outwards.
  void count_paths(const vertex_values<std::int32_t>& level, vertex_id source) {
    const std::span<path_counts> mine = counts_.local();
    for (std::int32_t d = 0; d < levels_; ++d) {
      for (const vertex_id place : at_level(d)) {
        path_counts sum{.paths = g_.first + place == source ? 1.0 : 0.0};
        for (const vertex_id v : in_[place])
          if (level[v] == d - 1) sum.add_paths(reach_counts_[v]);
        sum.settle();
        mine[place] = sum;
      }
      others_know();
    }
  }
  /// And back.
  void add_shares(const vertex_values<std::int32_t>& level, vertex_id source) {
    const std::span<path_counts> mine = counts_.local();
    for (std::int32_t d = levels_ - 1; d >= 0; --d) {
      for (const vertex_id place : at_level(d)) {
        double share = 0;
        for (const vertex_id w : out_[place])
          if (level[w] == d + 1) share += reach_counts_[w].behind * shrunk(reach_counts_[w].scale - mine[place].scale);
        share *= mine[place].paths;
        mine[place].behind = (1 + share) / mine[place].paths;
        if (g_.first + place != source) centrality_[place] += share;
        count_elements(out_[place].size());
      }
      others_know();
    }
  }
  void others_know() {
    meet(g_.members);
    reach_counts_.refresh();
  }

  const graph_shape& g_;
  const rows_view out_, in_;
  const std::span<double> centrality_;
  array<path_counts> counts_;
  vertex_values<path_counts> reach_counts_;
  std::int32_t levels_ = 0;
  std::vector<std::size_t> begin_;
  std::vector<vertex_id> by_level_;
};

}  // namespace

array<double> betweenness(const graph_shape& g, std::span<const vertex_id> sources) {
  algorithm_call why("betweenness");
  why.about(&g);
  std::uint64_t all = sources.size();
  for (const vertex_id v : sources) all = all * 0x9e3779b97f4a7c15ULL + v;
  require_same_argument(g.members, "betweenness", "sources that hash to", all);
  for (const vertex_id v : sources) checked_vertex(g, v, "betweenness");
  static_cast<void>(in_rows(g, "betweenness"));
  array<double> centrality(g.where.size(), as_in(g.members, g.where));
  path_counting counting(g, centrality.local());
  expect_work(sources.size() * g.count, "vertices");
  for (const vertex_id v : sources) {
    counting.add(v);
    count_work(g.count);
  }
  agree(g.members, "betweenness", why);
  return centrality;
}

}  // namespace armilla::detail
