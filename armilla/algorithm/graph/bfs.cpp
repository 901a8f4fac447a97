// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "armilla/algorithm/graph/vertex_news.hpp"
#include "armilla/graph_algorithms.hpp"

namespace armilla::detail {
namespace {

/// A bit for each vertex of the graph.
class vertex_bits {
 public:
  explicit vertex_bits(std::size_t n) : words_((n + 63) / 64, 0) {}
  bool operator[](vertex_id v) const noexcept { return (words_[v / 64] >> v % 64 & 1) != 0; }
  void set(vertex_id v) noexcept { words_[v / 64] |= std::uint64_t{1} << v % 64; }
  void clear() noexcept { std::ranges::fill(words_, 0); }
  void add(const vertex_bits& other) noexcept {
    for (std::size_t k = 0; k < words_.size(); ++k) words_[k] |= other.words_[k];
  }

  /// Each member has set bits of its own vertices; in the end all have all. Two members share a word at a border.
  void gather(const graph_shape& g) {
    const auto first_word = [](std::size_t from) { return from / 64; };
    const auto words_of = [&](std::size_t from, std::size_t to) { return from == to ? 0 : (to + 63) / 64 - from / 64; };
    const std::span<const std::uint64_t> mine(words_.data() + first_word(g.first), words_of(g.first, g.first + g.count));
    std::vector<std::size_t> counts(std::size_t(g.members.size()));
    const std::vector<std::uint64_t> all = g.members.all_gather_v(mine, counts);
    for (std::size_t m = 0, k = 0; m < counts.size(); ++m)
      for (std::size_t j = 0; j < counts[m]; ++j) words_[first_word(g.first_of[m]) + j] |= all[k++];
  }

 private:
  std::vector<std::uint64_t> words_;
};

/// What all members have reached last, and how many edges leave it.
struct frontier_size {
  std::uint64_t vertices, edges;
};

/// One rank's part of a search.
class search {
 public:
  search(const graph_shape& g, std::span<std::int32_t> level)
      : g_(g), rows_(g.rows()), in_(in_rows_or_null(g)), level_(level), seen_(g.where.size()), told_(g) {}

  void run(vertex_id root) {
    expect_work(g_.count, "vertices");
    if (g_.owner(root) == std::uint32_t(g_.members.rank())) reach(root - g_.first);
    std::uint64_t unexplored = g_.ends;
    frontier_size before{0, 0};
    for (frontier_size now = advance(); now.vertices != 0; before = now, now = advance()) {
      from_below_ = in_ != nullptr && comes_from_below(now, before, unexplored);
      unexplored -= now.edges;
      count_work(frontier_.size());
      from_below_ ? look_up() : tell_down();
    }
  }

 private:
  // Where the two directions cost the same: from the paper.
  static constexpr std::uint64_t many_edges = 15, few_vertices = 18;

  bool comes_from_below(const frontier_size& now, const frontier_size& before, std::uint64_t unexplored) const {
    if (!from_below_) return now.edges > unexplored / many_edges;
    return now.vertices >= g_.where.size() / few_vertices || now.vertices >= before.vertices;
  }

  void reach(std::size_t place) {
    level_[place] = depth_;
    next_.push_back(vertex_id(place));
  }

  frontier_size advance() {
    frontier_.swap(next_);
    next_.clear();
    ++depth_;
    frontier_size mine{frontier_.size(), 0};
    for (const vertex_id place : frontier_) mine.edges += rows_[place].size();
    return g_.members.all_reduce(mine, [](const frontier_size& a, const frontier_size& b) {
      return frontier_size{a.vertices + b.vertices, a.edges + b.edges};
    });
  }

  /// The last ones tell those to which their edges lead.
  void tell_down() {
    std::size_t edges = 0;
    for (const vertex_id place : frontier_) {
      const std::span<const vertex_id> row = rows_[place];
      edges += row.size();
      for (const vertex_id w : row) {
        if (const std::size_t there = std::size_t(w) - g_.first; there < g_.count) {
          if (level_[there] < 0) reach(there);
        } else if (!seen_[w]) {
          seen_.set(w);
          told_.tell(w, w);
        }
      }
    }
    count_elements(edges);
    told_.exchange([this](vertex_id v) {
      if (level_[v - g_.first] < 0) reach(v - g_.first);
    });
  }

  /// Those that are not reached look for one of the last.
  void look_up() {
    vertex_bits last(g_.where.size());
    for (const vertex_id place : frontier_) last.set(vertex_id(g_.first + place));
    if (g_.members.size() > 1) last.gather(g_);
    seen_.add(last);
    const rows_view to_here = in_->of[std::size_t(g_.members.rank())];
    std::size_t edges = 0;
    for (std::size_t place = 0; place < g_.count; ++place) {
      if (level_[place] >= 0) continue;
      for (const vertex_id v : to_here[place]) {
        ++edges;
        if (!last[v]) continue;
        reach(place);
        break;
      }
    }
    count_elements(edges);
  }

  const graph_shape& g_;
  const rows_view rows_;
  const edge_rows* const in_;
  const std::span<std::int32_t> level_;
  std::int32_t depth_ = 0;
  bool from_below_ = false;
  std::vector<vertex_id> frontier_, next_;  ///< places
  vertex_bits seen_;                        ///< vertices of others that are reached, as far as this rank knows
  vertex_news<vertex_id> told_;             ///< vertices of others that this level reaches
};

}  // namespace

array<std::int32_t> bfs(const graph_shape& g, std::size_t root) {
  algorithm_call why("bfs");
  why.about(&g);
  require_same_argument(g.members, "bfs", "root", root);
  checked_vertex(g, root, "bfs");
  array<std::int32_t> level(g.where.size(), -1, as_in(g.members, g.where));
  search(g, level.local()).run(vertex_id(root));
  agree(g.members, "bfs", why);
  return level;
}

}  // namespace armilla::detail
