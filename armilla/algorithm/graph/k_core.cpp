// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "armilla/algorithm/graph/vertex_news.hpp"
#include "armilla/graph_algorithms.hpp"

namespace armilla::detail {
namespace {

/// One rank's part: how many edges its vertices have left.
class peeling {
 public:
  peeling(const graph_shape& g, std::span<std::uint32_t> core) : g_(g), rows_(g.rows()), core_(core), left_(g.count), told_(g) {
    for (std::size_t k = 0; k < g.count; ++k) {
      const std::span<const vertex_id> row = rows_[k];
      left_[k] = std::uint32_t(row.size() - std::ranges::equal_range(row, vertex_id(g.first + k)).size());
      stay_.push_back(vertex_id(k));
    }
  }

  void run() {
    expect_work(g_.count, "vertices");
    while (begin_level())
      while (anything(!go_.empty())) {
        doomed_.swap(go_);
        for (const vertex_id place : doomed_) take_away(place);
        count_work(doomed_.size());
        doomed_.clear();
        told_.exchange([this](vertex_id v) { lose_edge(v - g_.first); });
      }
  }

 private:
  static constexpr std::uint32_t gone = ~std::uint32_t{0};

  bool anything(bool mine) const {
    return g_.members.all_reduce(mine, [](bool a, bool b) { return a || b; });
  }
  /// The fewest edges that a vertex has left, and those that have so many. False: all are gone.
  bool begin_level() {
    std::erase_if(stay_, [this](vertex_id place) { return left_[place] == gone; });
    std::uint32_t least = gone;
    for (const vertex_id place : stay_) least = std::min(least, left_[place]);
    least = g_.members.all_reduce(least, [](std::uint32_t a, std::uint32_t b) { return a < b ? a : b; });
    level_ = std::max(level_, least == gone ? 0 : least);
    for (const vertex_id place : stay_)
      if (left_[place] <= level_) go_.push_back(place);
    return least != gone;
  }
  void take_away(vertex_id place) {
    core_[place] = level_;
    left_[place] = gone;
    for (const vertex_id w : rows_[place])
      if (const std::size_t there = std::size_t(w) - g_.first; there < g_.count)
        lose_edge(there);
      else
        told_.tell(w, w);
    count_elements(rows_[place].size());
  }
  void lose_edge(std::size_t place) {
    if (left_[place] == gone || left_[place] <= level_) return;  // those go in this level
    if (--left_[place] == level_) go_.push_back(vertex_id(place));
  }

  const graph_shape& g_;
  const rows_view rows_;
  const std::span<std::uint32_t> core_;
  std::vector<std::uint32_t> left_;
  std::uint32_t level_ = 0;
  std::vector<vertex_id> stay_, go_, doomed_;  ///< places
  vertex_news<vertex_id> told_;
};

}  // namespace

array<std::uint32_t> k_core(const graph_shape& g) {
  require_undirected(g, "k_core");
  algorithm_call why("k_core");
  why.about(&g);
  array<std::uint32_t> core(g.where.size(), as_in(g.members, g.where));
  peeling(g, core.local()).run();
  agree(g.members, "k_core", why);
  return core;
}

}  // namespace armilla::detail
