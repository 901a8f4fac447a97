// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include <fmt/format.h>

#include "armilla/algorithm/graph/vertex_values.hpp"
#include "armilla/error.hpp"
#include "armilla/graph_algorithms.hpp"

namespace armilla::detail {
namespace {

/// How much the ranks have changed, and what vertices have that no edge leaves.
struct round_sums {
  double change, dangling;
};

void check(const pagerank_options& how) {
  if (!(how.damping >= 0 && how.damping <= 1) || !(how.tolerance >= 0) || how.rounds < 0)
    throw_usage("pagerank",
                fmt::format("damping {}, tolerance {}, {} rounds; give a damping from 0 to 1, and neither tolerance nor "
                            "rounds below 0",
                            how.damping, how.tolerance, how.rounds));
}

/// One rank's part. What is read of a round lies in one array, while the next is written into the other.
class ranking {
 public:
  ranking(const graph_shape& g, std::span<double> rank)
      : g_(g),
        out_(g.rows()),
        in_(in_rows(g, "pagerank").of[std::size_t(g.members.rank())]),
        rank_(rank),
        share_{array<double>(g.where.size(), as_in(g.members, g.where)),
               array<double>(g.where.size(), as_in(g.members, g.where))},
        reach_{vertex_values<double>(g, share_[0]), vertex_values<double>(g, share_[1])} {}

  void run(const pagerank_options& how) {
    const double n = double(g_.where.size());
    expect_work(std::uint64_t(how.rounds) * edges(), "edges");
    std::ranges::fill(rank_, 1 / n);
    sums_ = {how.tolerance, 0};
    const std::span<double> first = share_[0].local();
    for (std::size_t k = 0; k < g_.count; ++k) first[k] = share_of(k, sums_);
    meet();
    for (int round = 0; round < how.rounds && (how.tolerance == 0 || sums_.change >= how.tolerance); ++round) {
      const double base = (1 - how.damping) / n + how.damping * sums_.dangling / n;
      sums_ = step(round % 2, how.damping, base);
      meet();
    }
  }

 private:
  round_sums step(int now, double damping, double base) {
    vertex_values<double>& share = reach_[now];
    share.refresh();
    const std::span<double> next = share_[1 - now].local();
    round_sums sums{0, 0};
    for (std::size_t k = 0; k < g_.count; ++k) {
      double sum = 0;
      share.each_of_row(in_[k], [&sum](double of_neighbour) { sum += of_neighbour; });
      const double fresh = base + damping * sum;
      sums.change += std::abs(fresh - rank_[k]);
      rank_[k] = fresh;
      next[k] = share_of(k, sums);
    }
    count_elements(edges());
    count_work(edges());
    return sums;
  }
  std::uint64_t edges() const noexcept { return g_.count == 0 ? 0 : in_.begin[g_.count]; }
  /// What each neighbour gets of a vertex.
  double share_of(std::size_t k, round_sums& sums) const noexcept {
    const std::size_t degree = out_[k].size();
    if (degree != 0) return rank_[k] / double(degree);
    sums.dangling += rank_[k];
    return 0;
  }
  void meet() {
    sums_ = g_.members.all_reduce(
        sums_, [](const round_sums& a, const round_sums& b) { return round_sums{a.change + b.change, a.dangling + b.dangling}; });
  }

  const graph_shape& g_;
  const rows_view out_, in_;
  const std::span<double> rank_;
  array<double> share_[2];
  vertex_values<double> reach_[2];
  round_sums sums_{0, 0};
};

}  // namespace

array<double> pagerank(const graph_shape& g, const pagerank_options& how) {
  check(how);
  static_cast<void>(in_rows(g, "pagerank"));
  algorithm_call why("pagerank");
  why.about(&g);
  require_same_argument(g.members, "pagerank", "rounds", std::uint64_t(how.rounds));
  array<double> rank(g.where.size(), as_in(g.members, g.where));
  ranking(g, rank.local()).run(how);
  agree(g.members, "pagerank", why);
  return rank;
}

}  // namespace armilla::detail
