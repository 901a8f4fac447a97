// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "armilla/algorithm/graph/vertex_forest.hpp"
#include "armilla/container/place/algorithm_call.hpp"
#include "armilla/container/place/fetched_bytes.hpp"
#include "armilla/graph_algorithms.hpp"

namespace armilla::detail {
namespace {

/// Forests of all members over all vertices, one of each, which the others read.
class joined_forests {
 public:
  explicit joined_forests(const graph_shape& g) : g_(g), n_(g.where.size()), all_(made(g)), mine_(all_.local()) {}

  vertex_forest& mine() noexcept { return mine_; }

  /// Joins those of two, of four and so on, until member 0 has all.
  void join() {
    const rank_t me = g_.members.rank();
    for (rank_t step = 1; step < g_.members.size(); step *= 2) {
      meet(g_.members);
      if (me % (2 * step) == 0 && me + step < g_.members.size())
        read(me + step, 0, n_, [&](vertex_id v, vertex_id above) {
          if (v != above) mine_.join(v, above);
        });
    }
    if (me == 0) mine_.flatten();
    meet(g_.members);
  }
  /// All get what member 0 has.
  void share() {
    if (g_.members.rank() != 0) read(0, 0, n_, [&](vertex_id v, vertex_id above) { mine_.above()[v] = above; });
    meet(g_.members);
  }
  /// f(vertex, the one above it) of `count` vertices, as `member` has them.
  template <class F>
  void read(rank_t member, std::size_t first, std::size_t count, F f) const {
    scratch fetched;
    while (count > 0) {
      std::size_t n = count;
      const auto from = all_.state().blocks.at(member).plus(std::int64_t(first * sizeof(vertex_id)));
      const vertex_id* const some = elements_at<const vertex_id>(from, n, fetched);
      for (std::size_t k = 0; k < n; ++k) f(vertex_id(first + k), some[k]);
      fetched.finish();
      first += n;
      count -= n;
    }
  }

 private:
  static array<vertex_id> made(const graph_shape& g) {
    const std::vector<std::size_t> sizes(std::size_t(g.members.size()), g.where.size());
    return array<vertex_id>(g.where.size() * sizes.size(), on(g.members, blocks(sizes)));
  }

  const graph_shape& g_;
  const std::size_t n_;
  array<vertex_id> all_;
  vertex_forest mine_;
};

/// The root to which most of some vertices belong, the same on all members.
vertex_id most_frequent(std::span<const vertex_id> above) {
  std::minstd_rand random(1);
  std::vector<vertex_id> some(1024);
  for (vertex_id& r : some) r = above[random() % above.size()];
  std::ranges::sort(some);
  std::size_t best = 0, most = 0;
  for (std::size_t k = 0, begin = 0; k < some.size(); ++k) {
    if (some[k] != some[begin]) begin = k;
    if (k - begin + 1 > most) most = k - begin + 1, best = k;
  }
  return some[best];
}

/// One rank's edges.
class joiner {
 public:
  joiner(const graph_shape& g, vertex_forest& f) : g_(g), rows_(g.rows()), forest_(f) {}

  /// Of each vertex the edges from number `from` to `to`, unless `passed_over(v)`.
  template <class PassedOver>
  void join(std::size_t from, std::size_t to, PassedOver passed_over) {
    std::size_t edges = 0, reported = 0;
    for (std::size_t k = 0; k < g_.count; ++k) {
      const auto v = vertex_id(g_.first + k);
      const std::span<const vertex_id> row = rows_[k];
      const std::size_t end = std::min(to, row.size());
      if (from >= end || passed_over(v)) continue;
      edges += end - from;
      if ((k & 0xffff) == 0) count_work(edges - std::exchange(reported, edges));
      for (std::size_t j = from; j < end; ++j) forest_.join(v, row[j]);
    }
    count_elements(edges);
  }

 private:
  const graph_shape& g_;
  const rows_view rows_;
  vertex_forest& forest_;
};

void find_components(const graph_shape& g, joined_forests& all) {
  constexpr std::size_t first_edges = 2;  // as the paper has it
  if (g.count != 0) expect_work(g.rows().begin[g.count], "edges");
  joiner edges(g, all.mine());
  const auto none = [](vertex_id) { return false; };
  if (!g.undirected) return edges.join(0, npos, none);  // an edge stands in one row only
  edges.join(0, first_edges, none);
  all.join();
  all.share();
  const vertex_id largest = most_frequent(all.mine().above());
  edges.join(first_edges, npos, [&](vertex_id v) { return all.mine().root_of(v) == largest; });
}

}  // namespace

array<vertex_id> components_of(const graph_shape& g) {
  algorithm_call why("components");
  why.about(&g);
  array<vertex_id> label(g.where.size(), as_in(g.members, g.where));
  if (g.where.size() != 0) {
    joined_forests all(g);
    find_components(g, all);
    all.join();
    const std::span<vertex_id> mine = label.local();
    all.read(0, g.first, g.count, [&](vertex_id v, vertex_id root) { mine[v - g.first] = root; });
  }
  agree(g.members, "components", why);
  return label;
}

}  // namespace armilla::detail
